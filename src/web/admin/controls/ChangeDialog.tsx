/** Asks for the reason of a pause or of its end, which the audit log keeps. */
import { type FormEvent, useId, useState } from "react"
import type { PauseView } from "../../../domain/Pause.ts"
import { sentence } from "../../api/failures.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Input } from "../../ui/Field.tsx"
import { Notice } from "../../ui/States.tsx"
import { useChangePause } from "./useChangePause.ts"

export interface ChangeDialogProps {
  readonly pause: Pick<PauseView, "subject" | "state" | "configured">
  /** Name of the subject. */
  readonly text: string
  readonly onClose: () => void
}

export function ChangeDialog({ onClose, pause, text }: ChangeDialogProps) {
  const { configured, state, subject } = pause
  const [reason, setReason] = useState("")
  const form = useId()
  const change = useChangePause(text, onClose)
  const wanted = state === "paused" ? "running" : "paused"
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A choice that agrees with the setting is dropped, so that later settings hold.
    change.mutate({ subject, state: wanted === configured ? "default" : wanted, reason: reason.trim() })
  }
  return (
    <Dialog
      actions={
        <>
          <Button disabled={change.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button
            busy={change.isPending}
            form={form}
            type="submit"
            variant={wanted === "paused" ? "danger" : "primary"}
          >
            {wanted === "paused" ? "Pause now" : "Resume now"}
          </Button>
        </>
      }
      onClose={onClose}
      title={`${wanted === "paused" ? "Pause" : "Resume"}: ${text}`}
    >
      <p className="text-muted">
        {wanted === "paused"
          ? "New quotes and submissions are refused, and nothing more is sent. Accepted sweeps wait until their deadlines."
          : "Waiting sweeps are sent, and new ones are quoted."}
      </p>
      {change.isError && <Notice tone="bad">{sentence(change.error)}</Notice>}
      <form id={form} onSubmit={submit}>
        <Input
          label="Reason, for the audit log"
          maxLength={200}
          onChange={(event) => setReason(event.target.value)}
          required
          value={reason}
        />
      </form>
    </Dialog>
  )
}
