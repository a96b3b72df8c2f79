/** Presets, search and chains above the list of tokens. */
import { useMemo } from "react"
import { classes } from "../lib/classes.ts"
import { dollars, total } from "../lib/usd.ts"
import { usePressed } from "../lib/usePainted.ts"
import { Icon } from "../ui/Icon.tsx"
import { amountUsd, DUST_USD, type Preset } from "./selection.ts"
import { useSession } from "./session.ts"
import type { Selection } from "./useSelection.ts"

const PRESETS: ReadonlyArray<readonly [preset: Preset, label: string]> = [
  ["dust", `Dust under $${DUST_USD}`],
  ["allButGas", "All but gas money"],
  ["custom", "Custom"]
]

export const ALL = "all"

/** The chain whose tokens are shown, or all chains. */
export type Shown = number | typeof ALL

/** Choices of one among several, as a row of words. */
function Choices<Value extends string | number>({
  chosen,
  legend,
  name,
  onChoose,
  options
}: {
  readonly legend: string
  readonly name: string
  readonly options: ReadonlyArray<readonly [value: Value, label: string]>
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
}) {
  const [shown, press] = usePressed(chosen, onChoose)
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1">
      <legend className="sr-only">{legend}</legend>
      {options.map(([value, label]) => (
        <label
          className={classes(
            "max-w-full cursor-pointer truncate rounded-full border px-2.5 py-1 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent",
            shown === value
              ? "border-transparent bg-accent-soft font-medium text-accent"
              : "border-line text-muted hover:bg-sunken hover:text-ink"
          )}
          key={value}
        >
          <input checked={shown === value} className="sr-only" name={name} onChange={() => press(value)} type="radio" />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

/** Ticks all shown tokens, and says what is ticked. */
function TickAll({
  areAllChosen,
  chosen,
  found,
  onAll,
  selected
}: {
  readonly found: number
  readonly chosen: number
  readonly areAllChosen: boolean
  readonly onAll: () => void
  readonly selected: Selection["chosen"]
}) {
  const [isAll, pressAll] = usePressed(areAllChosen, onAll)
  const worth = useMemo(() => dollars(total(selected.map(({ amount, token }) => amountUsd(token, amount)))), [selected])
  return (
    <label className="flex w-fit cursor-pointer items-center gap-3 text-sm">
      <input
        checked={isAll}
        className="size-4.5 accent-(--accent-fill)"
        disabled={found === 0}
        onChange={() => pressAll(!isAll)}
        type="checkbox"
      />
      <span>
        <span className="font-medium">All {found} shown</span>
        <span className="text-muted">
          {" "}
          · {chosen} selected, {worth}
        </span>
      </span>
    </label>
  )
}

export function HoldingsToolbar({
  areAllChosen,
  chainIds,
  chosen,
  found,
  onAll,
  onChain,
  onSearch,
  search,
  selection,
  shown
}: {
  readonly selection: Selection
  readonly chainIds: ReadonlyArray<number>
  readonly shown: Shown
  readonly onChain: (shown: Shown) => void
  readonly search: string
  readonly onSearch: (text: string) => void
  readonly found: number
  readonly chosen: number
  readonly areAllChosen: boolean
  readonly onAll: () => void
}) {
  const { catalog } = useSession()
  return (
    <div className="flex flex-col gap-3 border-b border-line px-4 py-3 sm:px-5">
      <Choices
        chosen={selection.preset}
        legend="Select"
        name="preset"
        onChoose={selection.choosePreset}
        options={PRESETS}
      />
      <div className="flex flex-wrap items-center gap-2">
        <label className="relative min-w-0 flex-1 basis-44">
          <span className="sr-only">Search your tokens</span>
          <span className="pointer-events-none absolute inset-y-0 left-2.5 grid place-items-center text-muted">
            <Icon name="search" size={15} />
          </span>
          <input
            className="h-9 w-full rounded-md border border-line-strong bg-surface pr-3 pl-8 placeholder:text-muted"
            onChange={({ target }) => onSearch(target.value)}
            placeholder="Name, symbol or address"
            spellCheck={false}
            type="search"
            value={search}
          />
        </label>
        {chainIds.length > 1 && (
          <Choices
            chosen={shown}
            legend="Show tokens of"
            name="shown chain"
            onChoose={onChain}
            options={[[ALL, "All chains"], ...chainIds.map((id) => [id, catalog.chainName(id)] as const)]}
          />
        )}
      </div>
      <TickAll areAllChosen={areAllChosen} chosen={chosen} found={found} onAll={onAll} selected={selection.chosen} />
    </div>
  )
}
