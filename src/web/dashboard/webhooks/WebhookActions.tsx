/** Actions on a webhook: test, change and delete. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { toast } from "../../ui/Toast.tsx"
import type { Webhook } from "./queries.ts"
import { useWebhookChange } from "./useWebhookChange.ts"
import { type Draft, WebhookDialog } from "./WebhookDialog.tsx"

/** The fields of a draft that differ from the webhook. The others are not sent, because another tab may change them. */
const changedFields = (webhook: Webhook, { description, events, url }: Draft) => ({
  ...(url === webhook.url ? {} : { url }),
  ...(description === webhook.description ? {} : { description }),
  ...(events.toSorted().join() === webhook.events.toSorted().join() ? {} : { events })
})

function Edit({ onClose, webhook }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  // The form is filled once, so what changed is told by the webhook of then.
  const [opened] = useState(webhook)
  const change = useWebhookChange({
    onDone: () => {
      toast.done("The webhook is saved.")
      onClose()
    },
    // The dialog shows the error.
    onFailed: () => undefined
  })
  return (
    <WebhookDialog
      busy={change.isPending}
      error={change.error}
      initial={opened}
      onClose={onClose}
      onSave={(draft) => {
        const payload = changedFields(opened, draft)
        change.mutate((api) => api.webhooks.patch({ params: { id: opened.id }, payload }))
      }}
      save="Save"
      title="Change the webhook"
    />
  )
}

function Delete({ onClose, webhook }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const navigate = useNavigate()
  const remove = useWebhookChange({
    onDone: async () => {
      await navigate({ to: "/webhooks" })
      toast.done("The webhook is deleted.")
    }
  })
  return (
    <ConfirmDialog
      busy={remove.isPending}
      cancel="Keep it"
      confirm="Delete the webhook"
      onCancel={onClose}
      onConfirm={() => remove.mutate((api) => api.webhooks.remove({ params: { id: webhook.id } }))}
      title="Delete this webhook?"
    >
      Nothing is sent to <span className="break-all text-ink">{webhook.url}</span> from now on, including pending
      deliveries. Its secret and its log of deliveries are deleted.
    </ConfirmDialog>
  )
}

export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const [open, setOpen] = useState<"edit" | "delete">()
  const test = useWebhookChange({ onDone: () => toast.done("A test event will be sent.") })
  const close = () => setOpen(undefined)
  return (
    <>
      <Button onClick={() => setOpen("delete")}>Delete</Button>
      <Button onClick={() => setOpen("edit")}>Change</Button>
      <Button
        busy={test.isPending}
        disabled={!webhook.enabled}
        onClick={() => test.mutate((api) => api.webhooks.test({ params: { id: webhook.id } }))}
        variant="primary"
      >
        Send a test event
      </Button>
      {open === "edit" && <Edit onClose={close} webhook={webhook} />}
      {open === "delete" && <Delete onClose={close} webhook={webhook} />}
    </>
  )
}
