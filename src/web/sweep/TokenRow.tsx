/** One token of the list: a tick, what it is, what it is worth, and the amount to sweep. */
import { memo, useEffect, useState } from "react"
import { editable, exact, parse, readable, separator, separatorProblem } from "../lib/amounts.ts"
import { classes } from "../lib/classes.ts"
import { dollars, worth } from "../lib/usd.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { reserveOf, shownAmount } from "./selection.ts"
import { useSession } from "./session.ts"
import { TokenMark } from "./TokenMark.tsx"
import type { Entry } from "./useSelection.ts"
import { warningOf } from "./warning.ts"

export const ROW_HEIGHT = 68
/** Height of the field for the amount. */
export const EDITOR_HEIGHT = 84

const SHOWN_DIGITS = 5

export interface RowActions {
  readonly onTick: (key: string, isWanted: boolean) => void
  readonly onEdit: (key: string) => void
  /** Null for an input that is no amount of the token. */
  readonly onAmount: (key: string, amount: bigint | null) => void
}

function AmountField({ entry, onAmount }: Pick<RowActions, "onAmount"> & { readonly entry: Entry }) {
  const { amount, key, token } = entry
  const { balance, decimals, symbol } = token
  const [typedText, setText] = useState("")
  const sign = separator()
  const text = shownAmount(entry, typedText, sign)
  const typed = parse(text, decimals, sign)
  const problem =
    typed === undefined || typed === 0n
      ? ((typed === undefined ? separatorProblem(text, sign) : undefined) ?? "Enter an amount.")
      : typed > balance
        ? `You hold ${readable(balance, decimals)}.`
        : undefined
  const reserve = reserveOf(token)
  const put = (next: bigint) => {
    setText(editable(next, decimals, sign))
    onAmount(key, next)
  }
  return (
    <div className="flex h-[84px] flex-col justify-start gap-1 pr-4 pb-3 pl-11 sm:pr-5 sm:pl-24">
      <div className="flex items-center gap-2">
        <input
          aria-describedby={`${key}-amount`}
          aria-invalid={problem !== undefined}
          aria-label={`Amount of ${symbol} to sweep`}
          autoComplete="off"
          className={classes(
            "h-9 w-full min-w-0 max-w-56 rounded-md border bg-surface px-3 tabular-nums",
            problem === undefined ? "border-line-strong" : "border-bad"
          )}
          inputMode="decimal"
          onChange={({ target }) => {
            setText(target.value)
            const next = parse(target.value, decimals, sign)
            onAmount(key, next !== undefined && next > 0n && next <= balance ? next : null)
          }}
          value={text}
        />
        <Button onClick={() => put(balance / 2n > 0n ? balance / 2n : balance)} small>
          Half
        </Button>
        <Button onClick={() => put(balance)} small>
          All
        </Button>
      </div>
      <p
        className={classes("truncate text-sm", problem === undefined ? "text-muted" : "text-bad")}
        id={`${key}-amount`}
      >
        {problem ??
          (reserve > 0n && amount > balance - reserve
            ? "Nothing stays to pay for gas on this chain."
            : `of ${readable(balance, decimals, SHOWN_DIGITS)} ${symbol}`)}
      </p>
    </div>
  )
}

/** The value and the amount: of what is swept if it is ticked, else of the balance. */
function Worth({ entry: { amount, isChosen, token } }: { readonly entry: Entry }) {
  const { balance, decimals, priceUsd, symbol, valueUsd } = token
  const shown = isChosen ? amount : balance
  const value =
    priceUsd === null || valueUsd === null
      ? "no price"
      : shown === balance
        ? dollars(valueUsd)
        : worth(shown, decimals, priceUsd)
  return (
    <span className="max-w-[42%] min-w-0 shrink-0 text-right tabular-nums">
      <span className="block truncate font-medium">{value}</span>
      <span className="block truncate text-sm text-muted" title={`${exact(balance, decimals)} ${symbol}`}>
        {shown === balance ? "" : `${readable(shown, decimals, SHOWN_DIGITS)} of `}
        {readable(balance, decimals, SHOWN_DIGITS)}
      </span>
    </span>
  )
}

function Row({
  actions: { onAmount, onEdit, onTick },
  entry,
  isEdited
}: {
  readonly entry: Entry
  readonly isEdited: boolean
  readonly actions: RowActions
}) {
  const { catalog } = useSession()
  const { isChosen, key, left, obstacle, token } = entry
  const [pressed, setPressed] = useState<{ readonly key: string; readonly isTicked: boolean }>()
  // The list decides, whatever was pressed. Another token may be drawn by the same element.
  useEffect(() => setPressed(undefined), [key, isChosen])
  const isTicked = pressed?.key === key ? pressed.isTicked : isChosen
  const warning = warningOf(token)
  const why = obstacle ?? (isChosen ? warning?.text : left)
  const chain = catalog.chainName(token.chainId)
  const canSweep = obstacle === undefined
  return (
    <>
      <div
        className={classes(
          "flex h-[68px] items-center pr-2 sm:pr-3",
          canSweep && "hover:bg-canvas",
          "has-[input:focus-visible]:outline-2 has-[input:focus-visible]:-outline-offset-2 has-[input:focus-visible]:outline-accent"
        )}
      >
        <label
          className={classes(
            "flex h-full min-w-0 flex-1 items-center gap-3 pl-4 sm:pl-5",
            canSweep ? "cursor-pointer" : "cursor-not-allowed pr-2"
          )}
        >
          <input
            aria-describedby={why === undefined ? undefined : `${key}-why`}
            aria-label={`${token.symbol} on ${chain}`}
            checked={isTicked}
            className="size-4.5 shrink-0 accent-(--accent-fill) outline-none"
            disabled={!canSweep}
            onChange={() => {
              setPressed({ key, isTicked: !isTicked })
              onTick(key, !isTicked)
            }}
            type="checkbox"
          />
          <TokenMark token={token} />
          <span className="min-w-0 flex-1">
            <span className="flex min-w-0 items-center gap-2">
              <bdi className="truncate font-medium">{token.symbol}</bdi>
              {warning !== undefined && <Badge tone={warning.tone}>{warning.word}</Badge>}
            </span>
            <span
              className="line-clamp-2 text-sm/4.5 text-muted"
              id={`${key}-why`}
              title={token.standing === undefined ? undefined : token.address}
            >
              {chain} · {why ?? <bdi>{token.name}</bdi>}
            </span>
          </span>
          <Worth entry={entry} />
        </label>
        {canSweep && (
          <button
            aria-expanded={isEdited}
            aria-label={`Change the amount of ${token.symbol} on ${chain}`}
            className="ml-1 grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-sunken hover:text-ink"
            onClick={() => onEdit(key)}
            title="Change the amount"
            type="button"
          >
            <Icon name="edit" size={15} />
          </button>
        )}
      </div>
      {isEdited && canSweep && <AmountField entry={entry} key={key} onAmount={onAmount} />}
    </>
  )
}

export const TokenRow = memo(
  Row,
  (a, b) =>
    a.isEdited === b.isEdited &&
    a.actions === b.actions &&
    a.entry.token === b.entry.token &&
    a.entry.isChosen === b.entry.isChosen &&
    a.entry.amount === b.entry.amount &&
    a.entry.lacksAmount === b.entry.lacksAmount &&
    a.entry.left === b.entry.left &&
    a.entry.obstacle === b.entry.obstacle
)
