/**
 * Exposure: the gas that the relayer risks for sweeps, and loses on those whose fees do not cover it. It is counted by classes of
 * sweeps, each within a budget, so that a class that costs more than it pays stops before the others do.
 */

/**
 * Sweeps whose tokens are all on the operator's lists are `listed`, unless they pay native currency to code of strangers. Losses of the two
 * scopes are counted apart: those of unlisted sweeps never postpone a listed one.
 */
export type Scope = "listed" | "unlisted"

/**
 * `all`: every sweep of the scope on a chain. `first`: sweeps of listed tokens whose accounts are not delegated yet, or whose owners
 * have no settled sweep. Such an owner has paid for nothing so far, and can void the sweep at the price of a transaction of its own.
 * `funder`: those of them whose tokens came from one account. `batch`: sweeps of listed tokens in one transaction that exceed their
 * owner's credit, see `OwnerCredit`.
 */
export const KINDS = [
  "all",
  "token_in",
  "token_out",
  "pool",
  "owner",
  "funder",
  "network",
  "builder",
  "lane",
  "first",
  "batch"
] as const
export type Kind = (typeof KINDS)[number]

/** A class in the form `<scope>:<kind>:<chain id>:<value>`. */
export type ExposureClass = string

export const classOf = (scope: Scope, kind: Kind, chainId: number, value = ""): ExposureClass =>
  `${scope}:${kind}:${chainId}:${value}`

/**
 * Class of first sweeps. While first sweeps have lost, those of owners who cannot pay for a transaction of their own have a
 * class to themselves, so that owners who can do not keep them waiting.
 */
export const firstClass = (chainId: number, isUnfunded: boolean): ExposureClass =>
  classOf("listed", "first", chainId, isUnfunded ? "unfunded" : "")

/** Class of the first sweeps of owners whom one account funded. It has a share of the budget of first sweeps. */
export const funderClass = (chainId: number, funder: string): ExposureClass =>
  classOf("listed", "funder", chainId, funder)

/** Class of the sweeps of listed tokens beyond their owners' credits in one transaction, see `OwnerCredit`. */
export const batchClass = (chainId: number): ExposureClass => classOf("listed", "batch", chainId)

/** Parts of a class; undefined if the text is none. */
export const parse = (
  key: ExposureClass
): { readonly scope: Scope; readonly kind: Kind; readonly chainId: number; readonly value: string } | undefined => {
  const [scope, kindText, chainText, ...rest] = key.split(":")
  const kind = KINDS.find((each) => each === kindText)
  const chainId = Number(chainText)
  if ((scope !== "listed" && scope !== "unlisted") || kind === undefined || !Number.isSafeInteger(chainId)) {
    return undefined
  }
  return { scope, kind, chainId, value: rest.join(":") }
}

/** Losses and gains of finished sweeps in wei. */
export interface Window {
  /** Cost above the realisable value of the fees, summed over the sweeps that cost more. */
  readonly lost: bigint
  /** Realisable value of the fees above the cost, summed over the sweeps that paid. */
  readonly earned: bigint
}

/** Sums of a class in wei. */
export interface Sums {
  /** Worst cases of the sweeps under way. */
  readonly open: bigint
  /** The last 60 minutes, in steps of `ExposureWindow`. */
  readonly hour: Window
  /** The last 24 hours, in the same steps. */
  readonly day: Window
}

const NONE: Window = { lost: 0n, earned: 0n }

/** Sums of a class that nothing was counted for. */
export const EMPTY: Sums = { open: 0n, hour: NONE, day: NONE }

/** Losses that an operator accepts on one chain, in wei. */
export interface Budgets {
  /** Loss of all sweeps with unlisted tokens together. */
  readonly unlisted: { readonly hour: bigint; readonly day: bigint }
  /** Loss of all sweeps of listed tokens in an hour. */
  readonly listedHour: bigint
  /** Loss of first sweeps in an hour, above what they earned. Undefined: no limit. */
  readonly firstHour?: bigint | undefined
}

/** Kinds of classes that first sweeps reserve. */
const OF_FIRST: ReadonlySet<Kind> = new Set<Kind>(["first", "funder"])

/** True for a class that first sweeps reserve. */
export const isOfFirstSweeps = (key: ExposureClass): boolean => {
  const kind = parse(key)?.kind
  return kind !== undefined && OF_FIRST.has(kind)
}

const HOURS = 24n

/** Days have this many times the hourly budget, if nothing else limits them. */
export const HOURS_IN_DAY_BUDGET = 5n

/** Share of the scope's budget that a class has from the start: 1 / divisor. */
const START: Readonly<Record<Kind, bigint>> = {
  all: 1n,
  token_in: 8n,
  token_out: 8n,
  pool: 8n,
  owner: 8n,
  funder: 4n,
  network: 4n,
  builder: 2n,
  lane: 1n,
  first: 1n,
  batch: 1n
}

/** Kinds whose budget grows by what their sweeps paid above their cost, up to half of the scope's budget. */
const EARNING: ReadonlySet<Kind> = new Set<Kind>(["token_in", "token_out", "pool"])

/** Kinds whose losses postpone sweeps of listed tokens. The others also contain sweeps of honest owners. */
export const HOLDING_LISTED: ReadonlySet<Kind> = new Set<Kind>(["owner", "network"])

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Budget of a class of first sweeps, in wei. Half of it is that of the class. It grows by what its sweeps paid, so that more of
 * them are under way where more of them are honest.
 */
const firstLimit = (firstHour: bigint, { day, hour }: Sums) => ({
  hour: firstHour / 2n + hour.earned,
  day: firstHour * HOURS + day.earned
})

/** True for a class that sweeps of listed tokens reserve, so that losses and gains of each of them are booked for it. */
export const isReserved = (key: ExposureClass): boolean => isOfFirstSweeps(key) || parse(key)?.kind === "batch"

/** Budget of a class of unlisted tokens, of first sweeps or of batches, in wei. It holds for reserved and lost wei together. */
export const limitOf = (key: ExposureClass, { firstHour, listedHour, unlisted }: Budgets, sums: Sums) => {
  const kind = parse(key)?.kind ?? "owner"
  if (kind === "batch") {
    return { hour: listedHour + sums.hour.earned, day: listedHour * HOURS + sums.day.earned }
  }
  if (isOfFirstSweeps(key) && firstHour !== undefined) return firstLimit(firstHour / START[kind], sums)
  const of = (whole: bigint): bigint => {
    const start = whole / START[kind]
    return EARNING.has(kind) ? min(start + sums.day.earned, whole / 2n) : start
  }
  return { hour: of(unlisted.hour), day: of(unlisted.day) }
}

/** Wei that a class may reserve and lose in a day whatever its sweeps earned. Sweeps up to this sum are within its budget. */
export const sureLimit = (key: ExposureClass, budgets: Budgets): bigint => {
  const { day, hour } = limitOf(key, budgets, EMPTY)
  return min(hour, day)
}

/**
 * True if `wei` more are within the class's budget. A class without exposure may have one sweep that exceeds its share, since gas
 * may cost more than the share; the budget of all sweeps has no such exception.
 */
const fits = (key: ExposureClass, budgets: Budgets, sums: Sums, wei: bigint): boolean => {
  const limit = limitOf(key, budgets, sums)
  const isWithin = (lost: bigint, most: bigint): boolean => {
    const before = sums.open + lost
    return before + wei <= most || (before === 0n && most > 0n && parse(key)?.kind !== "all")
  }
  return isWithin(sums.hour.lost, limit.hour) && isWithin(sums.day.lost, limit.day)
}

/** True if a sweep of `wei` must wait until losses leave the window, also when no other sweep of the class is under way. */
export const isSpent = (key: ExposureClass, budgets: Budgets, sums: Sums, wei = 1n): boolean =>
  !fits(key, budgets, { ...sums, open: 0n }, wei)

/** A sweep that is about to be signed. */
export interface Reservation {
  readonly intentId: string
  /** Classes of the sweep, each once. */
  readonly classes: ReadonlyArray<ExposureClass>
  /** Worst case in wei, see {@link worstCase}. */
  readonly wei: bigint
}

/** A sweep whose classes have no room for it. */
export interface Denied {
  readonly intentId: string
  /** The first class that is spent. */
  readonly spent: ExposureClass
  /** True if it fits once sweeps under way have ended; false if it must wait until losses leave the window. */
  readonly isBusy: boolean
}

/** The first class without room for the sweep; undefined if all have it. */
export const lacking = (
  { classes, wei }: Pick<Reservation, "classes" | "wei">,
  budgets: Budgets,
  sumsOf: (key: ExposureClass) => Sums
): { readonly spent: ExposureClass; readonly isBusy: boolean } | undefined => {
  const spent = classes.filter((key) => !fits(key, budgets, sumsOf(key), wei))
  const [first] = spent
  if (first === undefined) return undefined
  return { spent: first, isBusy: spent.every((key) => !isSpent(key, budgets, sumsOf(key), wei)) }
}

/**
 * Decides which sweeps may be sent, in their order. Each one is counted against those before it, so the budgets hold for any
 * number of sweeps. Those that are denied count for nothing.
 */
export const admit = (
  reservations: ReadonlyArray<Reservation>,
  budgets: Budgets,
  sums: ReadonlyMap<ExposureClass, Sums>
): { readonly admitted: ReadonlyArray<Reservation>; readonly denied: ReadonlyArray<Denied> } => {
  const taken = new Map<ExposureClass, bigint>()
  const sumsOf = (key: ExposureClass): Sums => {
    const known = sums.get(key) ?? EMPTY
    return { ...known, open: known.open + (taken.get(key) ?? 0n) }
  }
  const admitted: Array<Reservation> = []
  const denied: Array<Denied> = []
  for (const reservation of reservations) {
    const lack = lacking(reservation, budgets, sumsOf)
    if (lack !== undefined) denied.push({ intentId: reservation.intentId, ...lack })
    else {
      admitted.push(reservation)
      for (const key of reservation.classes) taken.set(key, (taken.get(key) ?? 0n) + reservation.wei)
    }
  }
  return { admitted, denied }
}

/**
 * The first class of a sweep of listed tokens whose losses are above its share; undefined if there is none. Once the chain's
 * budget is lost, classes with any loss are held, and sweeps of all others go on.
 */
export const holding = (
  classes: ReadonlyArray<ExposureClass>,
  { listedHour }: Budgets,
  sumsOf: (key: ExposureClass) => Sums
): ExposureClass | undefined =>
  classes.find((key) => {
    const parts = parse(key)
    if (parts === undefined || !HOLDING_LISTED.has(parts.kind)) return false
    const { lost } = sumsOf(key).hour
    const isTight = sumsOf(classOf("listed", "all", parts.chainId)).hour.lost >= listedHour
    return lost > 0n && (isTight || lost >= listedHour / START[parts.kind])
  })

/** Number of times that a transaction's fee cap may be paid again by replacements. */
export const RESENDS = 1n

/**
 * The most that a sweep can cost, in wei: its gas limit at the fee cap, once more for replacements with higher fees, and what a rollup
 * charges for its data (`dataFee`, in wei).
 */
export const worstCase = ({
  dataFee,
  gas,
  maxFeePerGas
}: {
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly dataFee: bigint
}): bigint => gas * maxFeePerGas * (1n + RESENDS) + dataFee

/** Loss or gain of a sweep that has ended, in wei. Its fee counts only if the sweep was settled. */
export const outcome = (cost: bigint, worth: bigint): Window =>
  cost > worth ? { lost: cost - worth, earned: 0n } : { lost: 0n, earned: worth - cost }

/** Splits a transaction's cost by the gas of its sweeps. The parts are rounded up, so that they sum to the cost at least. */
export const shares = (cost: bigint, gas: ReadonlyArray<bigint>): ReadonlyArray<bigint> => {
  const total = gas.reduce((sum, each) => sum + each, 0n)
  if (total === 0n) return gas.map(() => cost)
  return gas.map((each) => (cost * each + total - 1n) / total)
}
