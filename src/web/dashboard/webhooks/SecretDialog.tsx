/** Shows a webhook's secret, the one time it can be seen. */
import { KeyDialog } from "../../ui/KeyDialog.tsx"

export interface SecretDialogProps {
  readonly secret: string
  readonly isReplaced?: boolean
  readonly onClose: () => void
}

export function SecretDialog({ isReplaced = false, onClose, secret }: SecretDialogProps) {
  return (
    <KeyDialog
      note={
        isReplaced
          ? "It is not shown again. For 24 hours each request is signed with the replaced secret too: change your receiver within that time."
          : "Your server verifies with it that a request is ours. It is not shown again; lost, it can be replaced at any time."
      }
      onClose={onClose}
      secret={secret}
      title={isReplaced ? "The new secret" : "The webhook's secret"}
      what="secret"
    />
  )
}
