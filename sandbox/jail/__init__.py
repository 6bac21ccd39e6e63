"""The jail: runs a patch in a process that can do nothing but compute and answer."""
