/** Asks for confirmation of an action, by default one that cannot be undone. */
import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"

export interface ConfirmDialogProps {
  readonly title: string
  /** Consequences of the action. */
  readonly children: ReactNode
  /** Labels of the buttons that confirm and cancel. */
  readonly confirm: string
  readonly cancel: string
  readonly busy: boolean
  readonly variant?: "danger" | "primary"
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

export function ConfirmDialog({
  busy,
  cancel,
  children,
  confirm,
  onCancel,
  onConfirm,
  title,
  variant = "danger"
}: ConfirmDialogProps) {
  return (
    <Dialog
      actions={
        <>
          <Button disabled={busy} onClick={onCancel}>
            {cancel}
          </Button>
          <Button busy={busy} onClick={onConfirm} variant={variant}>
            {confirm}
          </Button>
        </>
      }
      onClose={onCancel}
      title={title}
    >
      <p className="text-muted">{children}</p>
    </Dialog>
  )
}
