"""Takes a script into the Python that `ops/setup` makes, which has a Kafka client."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv/bin/python"


def enter():
    """Begins the script again in that Python, if it is not in it."""
    if Path(sys.prefix) == PYTHON.parents[1]:
        return
    if subprocess.run([ROOT / "ops/setup"], stdout=sys.stderr, check=False).returncode:
        sys.exit(1)
    os.execv(PYTHON, [PYTHON, *sys.argv])
