/** The builder's API keys: what each may do, its last use, its revocation, and the rotation of the default one. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../../api/client.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { KeyDialog } from "../../ui/KeyDialog.tsx"
import { Page } from "../../ui/Page.tsx"
import { EmptyState, ErrorState } from "../../ui/States.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toast.tsx"
import { useFocusHome } from "../../ui/useFocusHome.ts"
import { call as callKeys } from "./client.ts"
import { CreateKeyDialog } from "./CreateKeyDialog.tsx"
import { DEFAULT_KEY_ID, MAX_KEYS } from "./limits.ts"
import { type Key, KEYS, keys } from "./queries.ts"

type Question =
  | { readonly asks: "create" }
  | { readonly asks: "rotate" }
  | { readonly asks: "revoke"; readonly key: Key }

function KeyActions({ apiKey, ask }: { readonly apiKey: Key; readonly ask: (of: Question) => void }) {
  const leaving = useFocusHome()
  return (
    <div className="flex flex-col items-end gap-2 sm:flex-row sm:justify-end" ref={leaving}>
      {apiKey.id === DEFAULT_KEY_ID && (
        <Button onClick={() => ask({ asks: "rotate" })} small>
          Rotate key
        </Button>
      )}
      <Button aria-label={`Revoke ${apiKey.name}`} onClick={() => ask({ asks: "revoke", key: apiKey })} small>
        Revoke
      </Button>
    </div>
  )
}

function KeyTable({
  ask,
  rows
}: {
  readonly rows: ReadonlyArray<Key> | undefined
  readonly ask: (of: Question) => void
}) {
  return (
    <Table
      caption="API keys"
      columns={[
        {
          title: "Key",
          cell: ({ name, prefix }) => (
            <div className="max-w-40 sm:max-w-80">
              <p className="truncate font-medium" title={name}>
                {name}
              </p>
              <code className="font-mono text-sm text-muted">{prefix}…</code>
            </div>
          )
        },
        {
          title: "May",
          cell: ({ scopes }) => (
            <div className="flex flex-col items-start gap-1 sm:flex-row">
              {scopes.map((scope) => (
                <Badge key={scope} tone={scope === "read" ? "accent" : "neutral"}>
                  {scope}
                </Badge>
              ))}
            </div>
          )
        },
        { title: "Created", wideOnly: true, cell: ({ createdAtMs }) => <Time ms={createdAtMs} /> },
        {
          title: "Last used",
          wideOnly: true,
          cell: ({ lastUsedAtMs }) => (lastUsedAtMs === undefined ? "Never" : <Time ms={lastUsedAtMs} />)
        },
        {
          title: "Actions",
          align: "right",
          cell: (key) => <KeyActions apiKey={key} ask={ask} />
        }
      ]}
      placeholders={1}
      rowKey={({ id }) => id}
      rows={rows}
    />
  )
}

function KeyUse() {
  return (
    <Card title="Use the keys">
      <p className="max-w-[60ch] text-muted">
        Send a key that may <b className="font-medium text-ink">quote</b> as{" "}
        <code className="font-mono text-ink">apiKey</code> in the body of{" "}
        <code className="font-mono text-ink">POST /quote</code>. The answer then names you as{" "}
        <code className="font-mono text-ink">quote.builderId</code>, and your markup is part of the order that the user
        signs. A key that may <b className="font-medium text-ink">read</b> is the header{" "}
        <code className="font-mono text-ink">x-api-key</code> of{" "}
        <code className="font-mono text-ink">GET /account</code> and the routes under it, which return your balances,
        activity and sweeps. Keep such a key on your servers. No key can sign in, change your account or move funds.
      </p>
    </Card>
  )
}

/** Changes keys, refreshes the list, and calls `onDone` with the answer. */
const useChange = <A,>(name: string, change: () => Promise<A>, onDone: (answer: A) => void, onEnd: () => void) => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: [...KEYS, name],
    mutationFn: change,
    onSuccess: async (answer) => {
      onEnd()
      onDone(answer)
      await client.invalidateQueries({ queryKey: KEYS })
    },
    onError: (error) => {
      onEnd()
      toast.failed(error)
    }
  })
}

interface AskingProps {
  readonly onClose: () => void
  readonly onKey: (apiKey: string) => void
}

function Rotate({ hasDefault, onClose, onKey }: AskingProps & { readonly hasDefault: boolean }) {
  const rotate = useChange(
    "rotate",
    () => call((api) => api.me.rotateApiKey()),
    ({ apiKey }) => onKey(apiKey),
    onClose
  )
  return (
    <ConfirmDialog
      busy={rotate.isPending}
      cancel={hasDefault ? "Keep the current key" : "Cancel"}
      confirm={hasDefault ? "Replace the key" : "Create the key"}
      onCancel={onClose}
      onConfirm={() => rotate.mutate()}
      title={hasDefault ? "Replace the default key?" : "Create a default key?"}
      variant={hasDefault ? "danger" : "primary"}
    >
      {hasDefault
        ? "The current key stops working immediately. Sweeps quoted with it are no longer attributed to you and earn nothing, until your apps use the new key. Your other keys keep working."
        : "The key attributes quotes to you, and can do nothing else. A default key that you revoked stays revoked."}
    </ConfirmDialog>
  )
}

function Revoke({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) {
  const revoke = useChange(
    "revoke",
    () => callKeys((api) => api.keys.revoke({ params: { id: apiKey.id } })),
    () => toast.done(`The key ${apiKey.name} is revoked.`),
    onClose
  )
  return (
    <ConfirmDialog
      busy={revoke.isPending}
      cancel="Keep the key"
      confirm="Revoke the key"
      onCancel={onClose}
      onConfirm={() => revoke.mutate()}
      title={`Revoke ${apiKey.name}?`}
    >
      It stops working immediately, for good.{" "}
      {apiKey.scopes.includes("quote") && "Sweeps quoted with it are no longer attributed to you and earn nothing. "}
      {apiKey.lastUsedAtMs === undefined ? (
        "It was never used."
      ) : (
        <>
          It was last used <Time ms={apiKey.lastUsedAtMs} />.
        </>
      )}
    </ConfirmDialog>
  )
}

/** Says why no more keys can be created. */
const describe = (named: number | undefined): string =>
  named !== undefined && named >= MAX_KEYS
    ? `You have ${MAX_KEYS} keys beside the default one, which is the maximum. Revoke one to create another.`
    : "Only the beginning of a key can be shown, because the rest is not stored."

export function KeysPage() {
  const found = useQuery(keys)
  const [question, setQuestion] = useState<Question>()
  const [shown, setShown] = useState<string>()
  const rows = found.data?.keys
  const close = () => setQuestion(undefined)
  const named = rows?.filter(({ id }) => id !== DEFAULT_KEY_ID).length
  const hasDefault = rows === undefined || rows.some(({ id }) => id === DEFAULT_KEY_ID)
  return (
    <Page
      actions={
        <>
          {!hasDefault && <Button onClick={() => setQuestion({ asks: "rotate" })}>New default key</Button>}
          <Button
            disabled={named === undefined || named >= MAX_KEYS}
            onClick={() => setQuestion({ asks: "create" })}
            variant="primary"
          >
            Create a key
          </Button>
        </>
      }
      description="Attribute sweeps to you, or read your data from your servers."
      title="API keys"
    >
      <Card description={describe(named)} flush title="Keys">
        {found.isError ? (
          <ErrorState error={found.error} retry={found.refetch} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="key" title="No keys">
            Without a key, no sweep is attributed to you. Create one for your apps.
          </EmptyState>
        ) : (
          <KeyTable ask={setQuestion} rows={rows} />
        )}
      </Card>
      <KeyUse />
      {question?.asks === "create" && (
        <CreateKeyDialog
          onClose={close}
          onCreated={(apiKey) => {
            close()
            setShown(apiKey)
          }}
        />
      )}
      {question?.asks === "rotate" && <Rotate hasDefault={hasDefault} onClose={close} onKey={setShown} />}
      {question?.asks === "revoke" && <Revoke apiKey={question.key} onClose={close} />}
      {shown !== undefined && <KeyDialog secret={shown} onClose={() => setShown(undefined)} title="Your new API key" />}
    </Page>
  )
}
