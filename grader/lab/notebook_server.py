"""JupyterLab on a leash: it ends when its standard input does, that is with the lab.

Run as a script with JupyterLab's arguments. A terminal that is closed or a lab that is killed
cannot tell its server to stop; the end of a pipe can.
"""

import os
import signal
import threading
import time

STOP_SECONDS = 10


def main() -> None:
    """Serve until the input ends, then as long as a proper stop takes."""
    threading.Thread(target=end_with_input, daemon=True).start()
    from jupyterlab.labapp import main as serve

    serve()


def end_with_input() -> None:
    """Wait for the end of input; then stop this server and, with it, its kernels."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
