"""Language models as agents: prompts (`prompts`), parsing of answers (`answers`), the server interface (`chat`), a log of
requests (`exchanges`) and the agent itself (`agent`), with the agent string `llm:model=NAME,base_url=URL`. If the caller runs
the model, a table (`table`) gives it prompts and takes its answers as text."""

from ...envs.core.lazy import submodules

__getattr__ = submodules(__name__)
