/** Shows a webhook's secret, which is visible only once. */
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
          ? "It is not shown again. For 24 hours, each request is also signed with the replaced secret. Update your receiver within that time."
          : "Your server uses it to verify our requests. It is not shown again, but you can replace it at any time."
      }
      onClose={onClose}
      secret={secret}
      title={isReplaced ? "The new secret" : "The webhook's secret"}
      what="secret"
    />
  )
}
