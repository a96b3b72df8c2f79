/** Terms that an operator sets for a builder: markup, cap, payout mode and suspension. */
import { type FormEvent, useState } from "react"
import type { BuilderAccount, PayoutMode } from "../../domain/Builder.ts"
import { sentence } from "../api/failures.ts"
import { percent } from "../lib/amounts.ts"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Input, Select } from "../ui/Field.tsx"
import { Notice } from "../ui/States.tsx"
import { toast } from "../ui/Toast.tsx"
import { fieldErrors } from "../api/fieldErrors.ts"
import { useChangeBuilder } from "./useChangeBuilder.ts"

/** Fields that the operator changed on this page. The others show the stored terms, and are not sent: another operator may change them. */
interface Draft {
  readonly markup?: string
  readonly cap?: string
  readonly mode?: PayoutMode
}

/** The fields of a draft that differ from the stored terms. */
const changedTerms = (builder: BuilderAccount, { cap, markup, mode }: Draft) => ({
  ...(markup === undefined || Number(markup) === builder.builderBps ? {} : { builderBps: Number(markup) }),
  ...(cap === undefined || Number(cap) === builder.maxBuilderBps ? {} : { maxBuilderBps: Number(cap) }),
  ...(mode === undefined || mode === builder.payoutMode ? {} : { payoutMode: mode })
})

export function BuilderTerms({ builder }: { readonly builder: BuilderAccount }) {
  const [draft, setDraft] = useState<Draft>({})
  const { cap = String(builder.maxBuilderBps), markup = String(builder.builderBps), mode = builder.payoutMode } = draft
  const change = useChangeBuilder(builder.id, "The terms are saved.")
  const errors = fieldErrors(change.error)
  const isAboveCap = Number(markup) > Number(cap)
  const changed = changedTerms(builder, draft)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isAboveCap) return
    // Text that is typed while the request is pending stays.
    change.mutate(changed, { onSuccess: () => setDraft((now) => (now === draft ? {} : now)) })
  }
  return (
    <Card title="Terms">
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {change.isError && Object.keys(errors).length === 0 && <Notice tone="bad">{sentence(change.error)}</Notice>}
        <div className="grid gap-4 sm:grid-cols-2">
          <Input
            error={isAboveCap ? "This is above the cap." : errors["builderBps"]}
            help={`${percent(Math.trunc(Number(markup)) || 0)} of each swept amount`}
            label="Markup, in basis points"
            max={10_000}
            min={0}
            onChange={(event) => setDraft({ ...draft, markup: event.target.value })}
            required
            step={1}
            type="number"
            value={markup}
          />
          <Input
            error={errors["maxBuilderBps"]}
            help={`At most ${percent(Math.trunc(Number(cap)) || 0)}`}
            label="Cap, in basis points"
            max={10_000}
            min={0}
            onChange={(event) => setDraft({ ...draft, cap: event.target.value })}
            required
            step={1}
            type="number"
            value={cap}
          />
        </div>
        <Select
          help="Applies to sweeps that are quoted from now on."
          label="Paid"
          onChange={(event) => setDraft({ ...draft, mode: event.target.value === "ledger" ? "ledger" : "onchain" })}
          value={mode}
        >
          <option value="onchain">On-chain, by each sweep</option>
          <option value="ledger">In batches, from the ledger</option>
        </Select>
        <div className="flex justify-end">
          <Button busy={change.isPending} disabled={Object.keys(changed).length === 0} type="submit" variant="primary">
            Save terms
          </Button>
        </div>
      </form>
    </Card>
  )
}

export function SuspendButton({ builder }: { readonly builder: BuilderAccount }) {
  const [isAsking, setAsking] = useState(false)
  const isSuspended = builder.suspendedAtMs !== undefined
  const change = useChangeBuilder(
    builder.id,
    isSuspended ? "The builder's key works again." : "The builder is suspended.",
    () => setAsking(false)
  )
  if (isSuspended) {
    return (
      <Button busy={change.isPending} onClick={() => change.mutate({ suspended: false }, { onError: toast.failed })}>
        Lift the suspension
      </Button>
    )
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>Suspend</Button>
      {isAsking && (
        <Dialog
          actions={
            <>
              <Button onClick={() => setAsking(false)}>Cancel</Button>
              <Button busy={change.isPending} onClick={() => change.mutate({ suspended: true })} variant="danger">
                Suspend
              </Button>
            </>
          }
          onClose={() => setAsking(false)}
          title={`Suspend ${builder.name}?`}
        >
          <p className="text-muted">
            Its API key attributes no further sweeps. It can still sign in, and its earnings stay owed.
          </p>
          {change.isError && <Notice tone="bad">{sentence(change.error)}</Notice>}
        </Dialog>
      )}
    </>
  )
}
