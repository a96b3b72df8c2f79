/**
 * Metrics as they are declared: a name, a meaning and labels, from which the endpoint, the reference and the tests follow. Series are
 * made once for each set of label values, because making one costs more than updating it.
 */
import { type Context, Effect, Metric } from "effect"

/**
 * Series of one family, at most. Values beyond it are counted under {@link OTHER}, so that a label with unforeseen values cannot grow a
 * process or its collector.
 */
const MOST_SERIES = 1_000

/** Value of every label of the series that counts what is beyond {@link MOST_SERIES}. */
export const OTHER = "other"

export type Kind = "counter" | "gauge" | "histogram"

/** The part of a family that the reference shows. */
export interface Documented {
  readonly name: string
  readonly kind: Kind
  /** One sentence, with the unit. */
  readonly help: string
  /** Meaning of each label. */
  readonly labels: Readonly<Record<string, string>>
}

export type LabelsOf<L extends Readonly<Record<string, string>>> = { readonly [Name in keyof L]: string }

export interface Family<L extends Readonly<Record<string, string>>> extends Documented {
  readonly labels: L
  /** Counts, sets or observes a value, according to the kind. */
  readonly record: (value: number, labels: LabelsOf<L>) => Effect.Effect<void>
}

export interface Gauge<L extends Readonly<Record<string, string>>> extends Family<L> {
  /** Sets these series, and removes all others of the family. */
  readonly replace: (
    series: ReadonlyArray<{ readonly value: number; readonly labels: LabelsOf<L> }>
  ) => Effect.Effect<void>
}

type Instrument = Metric.Metric<number, unknown>

interface Declaration<L> {
  readonly name: string
  readonly help: string
  readonly labels: L
}

/** Joins label values into a key. No value has this character. */
const SEPARATOR = "\u0000"

const make = <L extends Readonly<Record<string, string>>>(
  kind: Kind,
  { help, labels, name }: Declaration<L>,
  instrument: (attributes: Readonly<Record<string, string>>) => Instrument
) => {
  const names = Object.keys(labels)
  const known = new Map<string, Instrument>()
  const keyOf = (values: LabelsOf<L>): string => {
    let key = ""
    for (const each of names) key += `${values[each] ?? ""}${SEPARATOR}`
    return key
  }
  const other = instrument(Object.fromEntries(names.map((each) => [each, OTHER])))

  const seriesOf = (values: LabelsOf<L>): Instrument => {
    const key = keyOf(values)
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= MOST_SERIES) return other
    const made = instrument(Object.fromEntries(names.map((each) => [each, values[each] ?? ""])))
    known.set(key, made)
    return made
  }

  const record = (value: number, values: LabelsOf<L>): Effect.Effect<void> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => seriesOf(values).updateUnsafe(value, context))
    )

  return { documented: { name, kind, help, labels }, keyOf, known, record, seriesOf }
}

/** Declares a counter, whose name ends in `_total`. */
export const counter = <const L extends Readonly<Record<string, string>>>(declaration: Declaration<L>): Family<L> => {
  const { documented, record } = make("counter", declaration, (attributes) =>
    Metric.counter(declaration.name, { description: declaration.help, attributes, incremental: true })
  )
  return { ...documented, record }
}

/** Declares a gauge. */
export const gauge = <const L extends Readonly<Record<string, string>>>(declaration: Declaration<L>): Gauge<L> => {
  const { documented, keyOf, known, record, seriesOf } = make("gauge", declaration, (attributes) =>
    Metric.gauge(declaration.name, { description: declaration.help, attributes })
  )
  const replace: Gauge<L>["replace"] = (series) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => {
        const kept = new Set(series.map(({ labels }) => keyOf(labels)))
        for (const [key, each] of known) {
          if (!kept.has(key)) Metric.removeUnsafe(each, context)
        }
        for (const { labels, value } of series) seriesOf(labels).updateUnsafe(value, context)
      })
    )
  return { ...documented, record, replace }
}

/** Declares a histogram of times in seconds. `upTo`: largest limit of its buckets. The smallest is a millisecond. */
export const seconds = <const L extends Readonly<Record<string, string>>>(
  declaration: Declaration<L> & { readonly buckets: ReadonlyArray<number> }
): Family<L> => {
  const { documented, record } = make("histogram", declaration, (attributes) =>
    Metric.histogram(declaration.name, {
      description: declaration.help,
      attributes,
      boundaries: declaration.buckets
    })
  )
  return { ...documented, record }
}

/** Limits of buckets in seconds: of requests that are answered at once, and of sweeps that wait for blocks. */
export const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
export const SLOW = [0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]
