/** Filters of the dashboard's lists, which are part of the page's address, so that a link or the way back has them. */

/** Filters as the address has them. The router reads a text of digits as a number, and a page ignores what is not valid. */
export interface ListSearch {
  readonly q?: unknown
  readonly status?: unknown
  readonly type?: unknown
  readonly chain?: unknown
  readonly token?: unknown
  readonly from?: unknown
  readonly to?: unknown
}

/** Valid filters. */
export interface ListFilter {
  readonly q?: string
  readonly status?: string
  readonly type?: string
  readonly chain?: number
  readonly token?: string
  /** First UTC day, `2026-03-01`. */
  readonly from?: string
  /** Last UTC day. */
  readonly to?: string
}

const DAY_MILLIS = 86_400_000

const isDay = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))

const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

/** The filters of an address that a list has, without those that are not valid. */
export const filterOf = (search: ListSearch, isStatus: (status: string) => boolean): ListFilter => {
  const [q, status, type] = [textOf(search.q).trim(), textOf(search.status), textOf(search.type)]
  const { chain, from, to, token } = search
  return {
    ...(q === "" ? {} : { q: q.slice(0, 200) }),
    ...(isStatus(status) ? { status } : {}),
    ...(type === "" ? {} : { type }),
    ...(typeof chain === "number" && Number.isSafeInteger(chain) && chain > 0 ? { chain } : {}),
    ...(typeof token === "string" && /^0x[0-9a-fA-F]{40}$/.test(token) ? { token } : {}),
    ...(isDay(from) ? { from } : {}),
    ...(isDay(to) ? { to } : {})
  }
}

/** While somebody types a year, a date box has years such as 0002, and the service knows no time before 1970. */
const sinceEpoch = (ms: number): number => Math.max(0, ms)

/** The period of a filter, which contains its last day, in UNIX milliseconds. */
export const periodOf = ({ from, to }: ListFilter): { readonly fromMs?: number; readonly toMs?: number } => ({
  ...(from === undefined ? {} : { fromMs: sinceEpoch(Date.parse(from)) }),
  ...(to === undefined ? {} : { toMs: sinceEpoch(Date.parse(to) + DAY_MILLIS) })
})

export const isFiltered = (filter: ListFilter): boolean => Object.keys(filter).length > 0

/** The filters with some changed. An undefined one is removed. */
export const changed = (
  filter: ListFilter,
  change: { readonly [K in keyof ListFilter]?: ListFilter[K] | undefined }
): ListFilter => Object.fromEntries(Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined))
