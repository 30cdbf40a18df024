"""The command `wilddeck`: a module a noun, which declares its commands' arguments beside what they run."""

from .command import main as main
