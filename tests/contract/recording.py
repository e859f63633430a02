"""The purse of the grey-box audit, under the name that the contract uses."""

from sfumato.inspection.audit.replay import RecordingPurse

__all__ = ["RecordingPurse"]
