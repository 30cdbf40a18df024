"""Student's t distribution, for confidence intervals of means of few values."""

from __future__ import annotations

# its 97.5 % quantiles, for 1, 2, ... degrees of freedom
_T = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)


def half_width(error: float, freedom: int) -> float:
    """Half the width of the 95 % confidence interval of a mean with this standard error and number of degrees of freedom (at
    least 1)."""
    return error * (_T[freedom - 1] if freedom <= len(_T) else 1.96 + 2.4 / freedom)
