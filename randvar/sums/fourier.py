"""scipy's Fourier transforms, imported when first used: they would double the time that `import randvar` takes."""

from __future__ import annotations

from typing import Any

from randvar.numbers.arrays import Array

__all__ = ["fast_length", "irfft", "rfft"]


def rfft(array: Array) -> Any:
    """The transform of a real array (`scipy.fft.rfft`)."""
    from scipy import fft

    return fft.rfft(array)


def irfft(spectrum: Any, length: int) -> Any:
    """The real array of `length` with this transform (`scipy.fft.irfft`)."""
    from scipy import fft

    return fft.irfft(spectrum, length)


def fast_length(least: int) -> int:
    """The next length from `least` on that transforms quickly (`scipy.fft.next_fast_len`)."""
    from scipy import fft

    return int(fft.next_fast_len(least, real=True))
