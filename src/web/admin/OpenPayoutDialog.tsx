/** Opens a payout batch, and says what is not in it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useId, useState } from "react"
import type { NothingOwed } from "../../api/builder/PayoutErrors.ts"
import type { TreasuryView } from "../../api/builder/Schemas.ts"
import type { OpenedPayout } from "../../domain/Payout.ts"
import { isFailure, sentence } from "../api/failures.ts"
import { CONSOLE } from "../api/queryClient.ts"
import type { TokenBook } from "../api/tokens.ts"
import { tokenKey } from "../lib/tokenKey.ts"
import { parse, separator } from "../lib/amounts.ts"
import { shorten } from "../lib/shorten.ts"
import { Amount } from "../ui/Amount.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Input, Select } from "../ui/Field.tsx"
import { Notice } from "../ui/States.tsx"
import { call } from "./client.ts"
import { LeftOutList } from "./LeftOutList.tsx"
import { treasury } from "./queries.ts"

type Position = (typeof TreasuryView.Type)["positions"][number]

interface DialogProps {
  readonly book: TokenBook
  readonly onClose: () => void
}

const isWhole = ({ leftOut, more }: OpenedPayout): boolean => leftOut.length === 0 && more === undefined

/** Shown after the batch was opened, since its page does not know what is not in it. */
function Opened({ batch, book, onContinue }: { batch: OpenedPayout; book: TokenBook; onContinue: () => void }) {
  return (
    <Dialog
      actions={
        <Button onClick={onContinue} variant="primary">
          Continue to the batch
        </Button>
      }
      dismissible={false}
      onClose={onContinue}
      title="The batch is open"
    >
      {batch.more !== undefined && (
        <p className="text-muted">
          The batch is full, and more is owed. Open another one for the rest. A builder whose rest is below the least
          amount is left out until it reaches it. Enter a smaller one to pay it now.
        </p>
      )}
      {batch.leftOut.length > 0 && (
        <>
          <p className="text-muted">These builders are not in it. Their amounts stay owed.</p>
          <LeftOutList leftOut={batch.leftOut} token={book.token(batch.chainId, batch.token)} />
        </>
      )}
    </Dialog>
  )
}

const isNothingOwed = (error: unknown): error is NothingOwed => isFailure(error, "NothingOwed")

function Failed({ error, token }: { error: Error } & Pick<Parameters<typeof LeftOutList>[0], "token">) {
  return (
    <Notice tone="bad">
      {sentence(error)}
      {isNothingOwed(error) && error.leftOut.length > 0 && <LeftOutList leftOut={error.leftOut} token={token} />}
    </Notice>
  )
}

/** Ids that are separated by commas or spaces. */
const idsOf = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/u).filter((id) => id !== "")

interface Opening {
  readonly position: Position
  readonly exclude: ReadonlyArray<string>
  readonly minAmount: bigint | undefined
}

const useOpening = () => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: [CONSOLE, "openPayout"],
    mutationFn: async ({ exclude, minAmount, position: { chainId, token } }: Opening) => {
      if (chainId === undefined) throw new Error("nothing is owed")
      const payload = { chainId, token, exclude, ...(minAmount === undefined ? {} : { minAmount: String(minAmount) }) }
      return call((api) => api.console.openPayout({ payload }))
    },
    onSuccess: () => client.invalidateQueries({ queryKey: [CONSOLE] })
  })
}

/** Positions that can be paid, and the chosen one. Undefined when nothing of it can be paid any more. */
const usePayable = () => {
  const positions = useQuery(treasury)
  const payable = positions.data?.positions.filter(({ chainId, unclaimed }) => unclaimed > 0n && chainId !== undefined)
  const [chosen, setChosen] = useState<string>()
  const [first] = payable ?? []
  // Chosen once: amounts that are read anew must not change the token that is about to be paid.
  if (chosen === undefined && first !== undefined) setChosen(tokenKey(first.chainId, first.token))
  const position = payable?.find(({ chainId, token }) => tokenKey(chainId, token) === chosen)
  return { chosen, payable, position, setChosen }
}

export function OpenPayoutDialog({ book, onClose }: DialogProps) {
  const navigate = useNavigate()
  const form = useId()
  const { chosen, payable, position, setChosen } = usePayable()
  const [least, setLeast] = useState("")
  const [excluded, setExcluded] = useState("")
  const token = position === undefined ? undefined : book.token(position.chainId, position.token)
  const minAmount = least.trim() === "" ? undefined : parse(least, token?.decimals ?? 0, separator())
  const isMalformed = least.trim() !== "" && minAmount === undefined
  const open = useOpening()
  const goTo = (id: string) => navigate({ to: "/admin/payouts/$id", params: { id } })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isMalformed || position === undefined) return
    open.mutate(
      { exclude: idsOf(excluded), minAmount, position },
      { onSuccess: (opened) => (isWhole(opened) ? goTo(opened.id) : undefined) }
    )
  }
  if (open.data !== undefined && !isWhole(open.data)) {
    const { data } = open
    return <Opened batch={data} book={book} onContinue={() => void goTo(data.id)} />
  }
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button busy={open.isPending} disabled={position === undefined} form={form} type="submit" variant="primary">
            Open the batch
          </Button>
        </>
      }
      onClose={onClose}
      title="Open a payout batch"
    >
      {payable?.length === 0 ? (
        <p className="text-muted">No builder is owed anything that no open batch claims.</p>
      ) : (
        <form className="flex flex-col gap-4" id={form} onSubmit={submit}>
          <p className="text-muted">
            The batch takes all amounts owed in one token. Then pay it from the vault and enter the transaction.
          </p>
          {open.isError && <Failed error={open.error} token={token} />}
          <Select label="Token" onChange={(event) => setChosen(event.target.value)} value={chosen}>
            {payable !== undefined && position === undefined && <option value={chosen}>Choose a token</option>}
            {payable?.map(({ chainId, token: address }) => (
              <option key={tokenKey(chainId, address)} value={tokenKey(chainId, address)}>
                {book.token(chainId, address)?.symbol ?? shorten(address)}{" "}
                {chainId === undefined ? "" : ` on ${book.chainName(chainId)}`}
              </option>
            ))}
          </Select>
          {position !== undefined && (
            <p>
              <span className="text-muted">Owed and not claimed by a batch: </span>
              <Amount token={token} value={position.unclaimed} />
            </p>
          )}
          <Input
            error={isMalformed ? "This is not an amount of the token." : undefined}
            help="Builders who are owed less are left out. If empty, all builders are paid."
            inputMode="decimal"
            label={`Least amount${token === undefined ? ", in smallest units" : `, in ${token.symbol}`}`}
            onChange={(event) => setLeast(event.target.value)}
            value={least}
          />
          <Input
            help="Ids of builders, separated by commas. Suspended builders and those that screening does not clear are left out anyway."
            label="Leave out"
            onChange={(event) => setExcluded(event.target.value)}
            value={excluded}
          />
        </form>
      )}
    </Dialog>
  )
}
