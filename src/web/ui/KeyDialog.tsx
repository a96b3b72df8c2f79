/** Shows a new API key, the one time it can be seen. */
import { useState } from "react"
import { Button } from "./Button.tsx"
import { CopyBlock } from "./Copy.tsx"
import { Dialog } from "./Dialog.tsx"

export function KeyDialog({
  apiKey,
  onClose,
  title
}: {
  readonly apiKey: string
  readonly title: string
  readonly onClose: () => void
}) {
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
      <p className="text-muted">Only its hash is stored, so it cannot be shown again.</p>
      <CopyBlock label="Copy" text={apiKey} />
      <label className="flex cursor-pointer items-start gap-2.5">
        <input
          checked={isKept}
          className="mt-1 size-4 accent-(--accent-fill)"
          onChange={(event) => setKept(event.target.checked)}
          type="checkbox"
        />
        <span>The key is stored in a safe place</span>
      </label>
    </Dialog>
  )
}
