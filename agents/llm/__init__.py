"""Language models as agents: what they are asked (`prompts`), how answers are read (`answers`), how servers are reached
(`chat`), what is kept of it (`exchanges`), and the agent (`agent`), which is `llm:model=NAME,base_url=URL` wherever agents are
named. Where others run the model, a game is a table at which it is asked by text (`table`)."""

from ...envs.core.lazy import submodules

__getattr__ = submodules(__name__)
