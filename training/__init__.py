"""Self-play training with Stable-Baselines3 (extra `train`)."""
