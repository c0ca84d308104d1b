"""Bots and scripts for Fanfare."""

from .bot import Bot, verify_callback
from .client import Client
from .http import FanfareError

__all__ = ["Bot", "Client", "FanfareError", "verify_callback"]
