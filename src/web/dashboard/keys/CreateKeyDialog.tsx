/** Creates an API key. Errors of the service are shown at their fields. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useId, useState } from "react"
import type { KeyScope } from "../../../domain/ApiKey.ts"
import { sentence } from "../../api/failures.ts"
import { fieldErrors } from "../../api/fieldErrors.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Checkbox, Input } from "../../ui/Field.tsx"
import { Notice } from "../../ui/States.tsx"
import { call } from "./client.ts"
import { KEYS } from "./queries.ts"

const SCOPES: ReadonlyArray<readonly [scope: KeyScope, label: string, note: string]> = [
  ["quote", "Attribute quotes", "For apps and servers that send it to POST /quote."],
  ["read", "Read your data", "For servers only: balances, activity and sweeps under /account."]
]

export interface CreateKeyDialogProps {
  readonly onClose: () => void
  /** Receives the key, which is shown only once. */
  readonly onCreated: (apiKey: string) => void
}

const CREATION = [...KEYS, "create"]

const useCreation = (onCreated: CreateKeyDialogProps["onCreated"]) => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: CREATION,
    mutationFn: (payload: { readonly name: string; readonly scopes: ReadonlyArray<KeyScope> }) =>
      call((api) => api.keys.create({ payload })),
    onSuccess: async ({ apiKey }) => {
      onCreated(apiKey)
      await client.invalidateQueries({ queryKey: KEYS })
    }
  })
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps) {
  const client = useQueryClient()
  const form = useId()
  const [name, setName] = useState("")
  const [scopes, setScopes] = useState<ReadonlyArray<KeyScope>>(["quote"])
  const [isTried, setTried] = useState(false)
  const create = useCreation(onCreated)
  const errors = create.error === null ? {} : fieldErrors(create.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    // `create.isPending` is known only once it is drawn. A second press may come before.
    if (client.isMutating({ mutationKey: CREATION }) > 0) return
    if (scopes.length > 0) create.mutate({ name: name.trim(), scopes })
  }
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={create.isPending} form={form} type="submit" variant="primary">
            Create the key
          </Button>
        </>
      }
      onClose={onClose}
      title="Create an API key"
    >
      <form className="flex flex-col gap-4" id={form} onSubmit={submit}>
        {create.isError && Object.keys(errors).length === 0 && <Notice tone="bad">{sentence(create.error)}</Notice>}
        <Input
          error={errors["name"]}
          help="Tells your keys apart, such as the app that uses it."
          label="Name"
          maxLength={64}
          onChange={(event) => setName(event.target.value)}
          pattern=".*\S.*"
          required
          value={name}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-sm font-medium">The key may</legend>
          {SCOPES.map(([scope, label, note]) => (
            <Checkbox
              checked={scopes.includes(scope)}
              key={scope}
              onChange={(isChecked) =>
                setScopes(isChecked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
              }
            >
              {label} <span className="block text-sm text-muted">{note}</span>
            </Checkbox>
          ))}
          {isTried && scopes.length === 0 && (
            <p className="text-sm text-bad" role="alert">
              Choose at least one.
            </p>
          )}
        </fieldset>
      </form>
    </Dialog>
  )
}
