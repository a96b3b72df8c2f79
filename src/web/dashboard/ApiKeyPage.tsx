/** The builder's API key: its prefix, its last use, and its rotation. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../api/client.ts"
import { apiKey, MINE } from "../api/queries.ts"
import { atMoment } from "../lib/time.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Detail, Details } from "../ui/Details.tsx"
import { KeyDialog } from "../ui/KeyDialog.tsx"
import { Page } from "../ui/Page.tsx"
import { ErrorState, Skeleton } from "../ui/States.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/Toast.tsx"

function CurrentKey() {
  const key = useQuery(apiKey)
  if (key.isError) return <ErrorState error={key.error} retry={key.refetch} />
  return (
    <Details>
      <Detail label="Key" note="Only the beginning can be shown, because the rest is not stored.">
        {key.data === undefined ? (
          <Skeleton className="h-5 w-40" />
        ) : (
          <code className="font-mono">{key.data.prefix}••••••••</code>
        )}
      </Detail>
      <Detail label="Created">
        {key.data === undefined ? <Skeleton className="h-5 w-40" /> : atMoment(key.data.createdAtMs)}
      </Detail>
      <Detail label="Last used">
        {key.data === undefined ? (
          <Skeleton className="h-5 w-40" />
        ) : key.data.lastUsedAtMs === undefined ? (
          "Never"
        ) : (
          <Time ms={key.data.lastUsedAtMs} />
        )}
      </Detail>
    </Details>
  )
}

export function ApiKeyPage() {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [shown, setShown] = useState<string>()
  const rotate = useMutation({
    mutationKey: [MINE, "rotate"],
    mutationFn: () => call((api) => api.me.rotateApiKey()),
    onSuccess: async ({ apiKey: fresh }) => {
      setAsking(false)
      setShown(fresh)
      await client.invalidateQueries({ queryKey: apiKey.queryKey })
    },
    onError: (error) => {
      setAsking(false)
      toast.failed(error)
    }
  })
  return (
    <Page description="Attributes sweeps to you. Keep it on your servers." title="API key">
      <Card
        actions={
          <Button icon="refresh" onClick={() => setAsking(true)} small>
            Rotate key
          </Button>
        }
        flush
        title="Current key"
      >
        <CurrentKey />
      </Card>
      <Card title="Use the key">
        <p className="max-w-[60ch] text-muted">
          Send the key as <code className="font-mono text-ink">apiKey</code> in the body of{" "}
          <code className="font-mono text-ink">POST /quote</code>. The answer then names you as{" "}
          <code className="font-mono text-ink">quote.builderId</code>, and your markup is part of the order that the
          user signs. The key can attribute sweeps and nothing else: it cannot sign in, change your account or move
          funds.
        </p>
      </Card>
      {isAsking && (
        <ConfirmDialog
          busy={rotate.isPending}
          cancel="Keep the current key"
          confirm="Replace the key"
          onCancel={() => setAsking(false)}
          onConfirm={() => rotate.mutate()}
          title="Replace the API key?"
        >
          The current key stops working immediately. Sweeps quoted with it are no longer attributed to you and earn
          nothing, until your servers use the new key.
        </ConfirmDialog>
      )}
      {shown !== undefined && <KeyDialog secret={shown} onClose={() => setShown(undefined)} title="Your new API key" />}
    </Page>
  )
}
