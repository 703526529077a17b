# SPDX-License-Identifier: BSD-3-Clause
"""Programs run as an ordinary user: as nobody, since these tests are root's."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from softnic import PLUGIN, unusable as no_softnic

ID = 65534
USER = ("setpriv", f"--reuid={ID}", f"--regid={ID}", "--clear-groups")
# What makes the network interface of a ConnectX-5 one's own.
NAMESPACES = ("unshare", "--map-current-user", "--net", "--keep-caps")


def unusable():
    """Why nothing can be run as nobody here, or None."""
    if no_softnic():
        return no_softnic()
    may_read = subprocess.run([*USER, "test", "-r", str(PLUGIN["82599"])], capture_output=True,
                              check=False)
    return None if may_read.returncode == 0 else "nobody may not read the build here"


def no_namespaces():
    """Why an ordinary user cannot have namespaces here, or None."""
    done = subprocess.run([*USER, *NAMESPACES, "true"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr.strip()


needs_user = pytest.mark.skipif(unusable() is not None, reason=str(unusable()))


@pytest.fixture
def home():
    """A folder of the user's; pytest's own are root's alone."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="sluice-user-"))
    os.chown(path, ID, ID)
    yield path
    shutil.rmtree(path, ignore_errors=True)
