"""The imports of the extra `train`, with a readable error if it is not installed."""

from __future__ import annotations

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger, configure
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(f"training needs the extra `train`: pip install 'wilddeck[train]' ({error})") from error

__all__ = ["BaseCallback", "Logger", "MaskablePPO", "VecEnv", "configure", "torch"]
