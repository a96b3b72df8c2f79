/** Queries about sweeps. */
import { queryOptions } from "@tanstack/react-query"
import type { Sweep } from "../../../domain/Sweep.ts"
import type { SweepStatus } from "../../../domain/SweepEvent.ts"
import { everyPage, type Rows } from "../../api/everyPage.ts"
import { MINE, PAGE } from "../../api/queries.ts"
import { call } from "./client.ts"

const SWEEPS = "sweeps"

export interface SweepFilter {
  readonly status?: SweepStatus
  /** Source or destination chain. */
  readonly chainId?: number
  /** Swept or received token. */
  readonly token?: string
  readonly fromMs?: number
  readonly toMs?: number
  readonly q?: string
}

const LARGEST_PAGE = 500

const page = (filter: SweepFilter, cursor: string | undefined, limit: number, signal?: AbortSignal) =>
  call(
    (api) =>
      api.sweeps.sweeps({
        query: {
          ...filter,
          limit,
          ...(cursor === undefined ? {} : { cursor })
        }
      }),
    signal
  )

export const sweeps = (filter: SweepFilter, cursor: string | undefined) =>
  queryOptions({
    queryKey: [MINE, SWEEPS, filter, cursor ?? null],
    queryFn: ({ signal }) => page(filter, cursor, PAGE, signal)
  })

/** All sweeps that match the filters, newest first, up to a maximum number. */
export const everySweep = (filter: SweepFilter, most: number): Promise<Rows<Sweep>> =>
  everyPage(most, async (cursor) => {
    const { nextCursor, sweeps: rows } = await page(filter, cursor, LARGEST_PAGE)
    return { rows, nextCursor }
  })

const LOOK_AGAIN_MILLIS = 5_000

/** One sweep with its history, refreshed until it has ended. */
export const sweep = (id: string) =>
  queryOptions({
    queryKey: [MINE, SWEEPS, "one", id],
    queryFn: ({ signal }) => call((api) => api.sweeps.sweep({ params: { id } }), signal),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isUnderWay(state.data.sweep) ? LOOK_AGAIN_MILLIS : false
  })

export const isUnderWay = ({ status }: Sweep): boolean => status === "submitted" || status === "settled_source"
