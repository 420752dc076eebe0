"""The lab as a whole: set-up, doctor, JupyterLab on this machine or in containers."""
