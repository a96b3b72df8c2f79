/** State of a webhook, with actions to replace its secret and to pause it. */
import { useState } from "react"
import { atMoment } from "../../lib/time.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { CopyIcon } from "../../ui/Copy.tsx"
import { Detail, Details } from "../../ui/Details.tsx"
import { toast } from "../../ui/Toast.tsx"
import type { Webhook } from "./queries.ts"
import { SecretDialog } from "./SecretDialog.tsx"
import { useWebhookChange } from "./useWebhookChange.ts"
import { eventsText, stateOf, troubleOf } from "./words.ts"

function Pause({ webhook: { enabled, id } }: { readonly webhook: Webhook }) {
  const change = useWebhookChange({
    onDone: () => toast.done(enabled ? "The webhook is paused." : "The webhook is enabled.")
  })
  return (
    <Button
      busy={change.isPending}
      onClick={() => change.mutate((api) => api.webhooks.patch({ params: { id }, payload: { enabled: !enabled } }))}
      small
    >
      {enabled ? "Pause" : "Enable"}
    </Button>
  )
}

function Secret({ webhook: { id } }: { readonly webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const rotate = useWebhookChange({
    onDone: (answer: { readonly secret: string }) => {
      setAsking(false)
      setSecret(answer.secret)
    }
  })
  return (
    <>
      <Button icon="refresh" onClick={() => setAsking(true)} small>
        Replace
      </Button>
      {isAsking && (
        <ConfirmDialog
          busy={rotate.isPending}
          cancel="Keep the current secret"
          confirm="Replace the secret"
          onCancel={() => setAsking(false)}
          onConfirm={() => rotate.mutate((api) => api.webhooks.rotateSecret({ params: { id } }))}
          title="Replace the secret?"
        >
          The new secret is shown only once. For 24 hours, each request is signed with both secrets. After that, the
          current one is no longer used.
        </ConfirmDialog>
      )}
      {secret !== undefined && <SecretDialog isReplaced onClose={() => setSecret(undefined)} secret={secret} />}
    </>
  )
}

export function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  const { createdAtMs, description, previousSecretUntilMs, url } = webhook
  const [label, tone] = stateOf(webhook)
  return (
    <Card flush title="Endpoint">
      <Details>
        <Detail label="URL">
          <span className="break-all">{url}</span> <CopyIcon label="Copy URL" text={url} />
        </Detail>
        {description !== "" && <Detail label="Description">{description}</Detail>}
        <Detail label="Status" note={troubleOf(webhook)}>
          <span className="flex flex-wrap items-center justify-between gap-2">
            <Badge tone={tone}>{label}</Badge>
            <Pause webhook={webhook} />
          </span>
        </Detail>
        <Detail label="Events">{eventsText(webhook)}</Detail>
        <Detail
          label="Secret"
          note={
            previousSecretUntilMs === undefined
              ? "It was shown once, when it was created."
              : `The replaced secret signs as well until ${atMoment(previousSecretUntilMs)}.`
          }
        >
          <span className="flex flex-wrap items-center justify-between gap-2">
            <code className="font-mono">whsec_••••••••</code>
            <Secret webhook={webhook} />
          </span>
        </Detail>
        <Detail label="Added">{atMoment(createdAtMs)}</Detail>
      </Details>
    </Card>
  )
}
