/** Shows a new key or secret, which is visible only once. */
import { type ReactNode, useState } from "react"
import { Button } from "./Button.tsx"
import { CopyBlock } from "./Copy.tsx"
import { Dialog } from "./Dialog.tsx"
import { Checkbox } from "./Field.tsx"

export interface KeyDialogProps {
  readonly secret: string
  readonly title: string
  /** Noun for the secret. Default: `key`. */
  readonly what?: string
  readonly note?: ReactNode
  readonly onClose: () => void
}

export function KeyDialog({
  note = "Only its hash is stored, so it cannot be shown again.",
  onClose,
  secret,
  title,
  what = "key"
}: KeyDialogProps) {
  const [isKept, setKept] = useState(false)
  return (
    <Dialog
      actions={
        <Button disabled={!isKept} onClick={onClose} variant="primary">
          Done
        </Button>
      }
      dismissible={false}
      onClose={onClose}
      title={title}
    >
      <p className="text-muted">{note}</p>
      <CopyBlock label="Copy" text={secret} />
      <Checkbox checked={isKept} onChange={setKept}>
        The {what} is stored in a safe place
      </Checkbox>
    </Dialog>
  )
}
