/** Registers a builder. Errors of the service are shown at their fields. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useId, useState } from "react"
import type { PayoutMode } from "../../domain/Builder.ts"
import { call } from "./client.ts"
import { sentence } from "../api/failures.ts"
import { CONSOLE } from "../api/queryClient.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Input, Select } from "../ui/Field.tsx"
import { Notice } from "../ui/States.tsx"
import { fieldErrors } from "../api/fieldErrors.ts"

interface Draft {
  readonly id: string
  readonly name: string
  readonly payoutAddress: string
  readonly builderBps: string
  readonly maxBuilderBps: string
  readonly payoutMode: PayoutMode
}

const EMPTY: Draft = { id: "", name: "", payoutAddress: "", builderBps: "0", maxBuilderBps: "0", payoutMode: "onchain" }

const ADDRESS = "0x[0-9a-fA-F]{40}"

/** Registers a builder, and passes on its API key. */
const useRegistration = (onRegistered: (apiKey: string) => void) => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: [CONSOLE, "register"],
    mutationFn: (draft: Draft) =>
      call((api) =>
        api.console.registerBuilder({
          payload: {
            ...draft,
            builderBps: Number(draft.builderBps),
            maxBuilderBps: Number(draft.maxBuilderBps)
          }
        })
      ),
    onSuccess: async ({ apiKey }) => {
      await client.invalidateQueries({ queryKey: [CONSOLE] })
      onRegistered(apiKey)
    }
  })
}

export function RegisterDialog({
  onClose,
  onRegistered
}: {
  readonly onClose: () => void
  readonly onRegistered: (apiKey: string) => void
}) {
  const form = useId()
  const [draft, setDraft] = useState(EMPTY)
  const register = useRegistration(onRegistered)
  const errors = fieldErrors(register.error)
  const field = (key: keyof Draft) => ({
    error: errors[key],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setDraft({ ...draft, [key]: event.target.value }),
    required: true,
    value: draft[key]
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    register.mutate(draft)
  }
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={register.isPending} form={form} type="submit" variant="primary">
            Register
          </Button>
        </>
      }
      onClose={onClose}
      title="Register a builder"
    >
      <form className="flex flex-col gap-4" id={form} onSubmit={submit}>
        {register.isError && Object.keys(errors).length === 0 && <Notice tone="bad">{sentence(register.error)}</Notice>}
        <Input help="Letters, digits and _ . : @ -. It never changes." label="Id" {...field("id")} />
        <Input label="Name" maxLength={64} {...field("name")} />
        <Input
          help="Receives payouts and signs in."
          label="Payout address"
          pattern={ADDRESS}
          title="0x followed by 40 hex digits"
          {...field("payoutAddress")}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Input
            help="Basis points; 100 = 1%."
            label="Markup"
            max={10_000}
            min={0}
            type="number"
            {...field("builderBps")}
          />
          <Input
            help="Maximum of the markup."
            label="Markup cap"
            max={10_000}
            min={0}
            type="number"
            {...field("maxBuilderBps")}
          />
        </div>
        <Select
          help="On-chain: each sweep pays the builder. In batches: you pay the amounts owed by the ledger."
          label="Paid"
          onChange={({ target }) =>
            setDraft({ ...draft, payoutMode: target.value === "ledger" ? "ledger" : "onchain" })
          }
          value={draft.payoutMode}
        >
          <option value="onchain">On-chain, by each sweep</option>
          <option value="ledger">In batches, from the ledger</option>
        </Select>
      </form>
    </Dialog>
  )
}
