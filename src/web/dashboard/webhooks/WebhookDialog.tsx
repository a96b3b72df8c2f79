/** Adds or changes a webhook. Errors of the service are shown at their fields. */
import { type FormEvent, useId, useState } from "react"
import type { WebhookEventType } from "../../../domain/Webhook.ts"
import { sentence } from "../../api/failures.ts"
import { fieldErrors } from "../../api/fieldErrors.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Input } from "../../ui/Field.tsx"
import { Notice } from "../../ui/States.tsx"
import { EventChoice } from "./EventChoice.tsx"

export interface Draft {
  readonly url: string
  readonly description: string
  /** Empty for all events. */
  readonly events: ReadonlyArray<WebhookEventType>
}

export interface WebhookDialogProps {
  readonly title: string
  readonly save: string
  readonly initial: Draft
  readonly busy: boolean
  readonly error: unknown
  readonly onSave: (draft: Draft) => void
  readonly onClose: () => void
}

export function WebhookDialog({ busy, error, initial, onClose, onSave, save, title }: WebhookDialogProps) {
  const form = useId()
  const [url, setUrl] = useState(initial.url)
  const [description, setDescription] = useState(initial.description)
  const [all, setAll] = useState(initial.events.length === 0)
  const [chosen, setChosen] = useState(initial.events)
  const [isTried, setTried] = useState(false)
  const errors = error === null ? {} : fieldErrors(error)
  const isNoneChosen = !all && chosen.length === 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!isNoneChosen) onSave({ url: url.trim(), description: description.trim(), events: all ? [] : chosen })
  }
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={busy} form={form} type="submit" variant="primary">
            {save}
          </Button>
        </>
      }
      onClose={onClose}
      title={title}
    >
      <form className="flex flex-col gap-4" id={form} onSubmit={submit}>
        {error !== null && Object.keys(errors).length === 0 && <Notice tone="bad">{sentence(error)}</Notice>}
        <Input
          error={errors["url"]}
          help="URL of your server: https, at a public address."
          inputMode="url"
          label="URL"
          onChange={(event) => setUrl(event.target.value)}
          placeholder="https://example.com/webhooks/sweeps"
          required
          value={url}
        />
        <Input
          error={errors["description"]}
          help="A note that tells your webhooks apart."
          label="Description"
          maxLength={200}
          onChange={(event) => setDescription(event.target.value)}
          value={description}
        />
        <EventChoice
          all={all}
          chosen={chosen}
          error={isTried && isNoneChosen ? "Choose at least one event." : errors["events"]}
          onChange={(isAll, types) => {
            setAll(isAll)
            setChosen(types)
          }}
        />
      </form>
    </Dialog>
  )
}
