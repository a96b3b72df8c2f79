/**
 * Pages of filtered lists, newest first. Each page reads a few rows of an index, regardless of the length of the list and of the number of
 * rows that match: one search for each pair of a token and its chain, and one page of each pair that matches.
 */
import { Effect } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type * as Address from "../../../domain/Address.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import { timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

/** A list in a table. Every name is that of a column. */
export interface List {
  readonly table: string
  /** Condition on the rows of the list's owner. */
  readonly owner: Fragment
  /** Time by which it is ordered. */
  readonly at: string
  /** Identity of a row, which is the cursor, and orders rows of one moment. */
  readonly key: string
}

export interface Page {
  readonly before?: string
  readonly limit: number
  readonly fromMs?: number
  readonly toMs?: number
}

/** Conditions on the rows of a page, which begin with AND: they are older than the cursor's row, and in the period. */
export const window = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, list: List, page: Page) {
  const [at, key] = [sql.literal(list.at), sql.literal(list.key)]
  const from = page.fromMs === undefined ? sql`` : sql`AND ${at} >= ${timestamp(page.fromMs)}`
  const to = page.toMs === undefined ? sql`` : sql`AND ${at} < ${timestamp(page.toMs)}`
  if (page.before === undefined) return sql`${from} ${to}`
  const cursor = Rows.rowId(page.before)
  // As text, since a Date has no microseconds.
  const [last] = yield* sql<{ readonly at: string }>`
    SELECT ${at}::text AS at FROM ${sql.literal(list.table)} WHERE ${key} = ${cursor}::bigint AND ${list.owner}`
  // Old deliveries are deleted. Those of smaller keys are older.
  return last === undefined
    ? sql`${from} ${to} AND ${key} < ${cursor}::bigint`
    : sql`${from} ${to} AND (${at}, ${key}) < (${last.at}::timestamptz, ${cursor}::bigint)`
})

/** Order and length of a page. */
export const newest = (sql: SqlClient.SqlClient, { at, key }: Pick<List, "at" | "key">, limit: number): Fragment =>
  sql`ORDER BY ${sql.literal(at)} DESC, ${sql.literal(key)} DESC LIMIT ${limit}`

/** Columns of a token and of its chain. */
export interface Side {
  readonly chain: string
  readonly token: string
}

export interface Matching {
  /** Status of the rows, or all statuses that rows may have. */
  readonly statuses: ReadonlyArray<string>
  readonly chainId: ChainId | undefined
  readonly token: Address.Address | undefined
}

/** Pairs of a chain and a token that the list has, each found by one search of the index that begins with both. */
const pairs = (sql: SqlClient.SqlClient, list: List, side: Side, { chainId, token }: Matching): Fragment => {
  if (chainId !== undefined && token !== undefined) return sql`VALUES (${chainId}::bigint, ${token}::text)`
  const [table, chainColumn, tokenColumn] = [list.table, side.chain, side.token].map((name) => sql.literal(name))
  const ofChain = chainId === undefined ? sql`` : sql`AND ${chainColumn} = ${chainId}::bigint`
  const first = (after: Fragment) => sql`
    SELECT ${chainColumn} AS chain, ${tokenColumn}::text AS token FROM ${table} WHERE ${list.owner} ${ofChain} ${after}
    ORDER BY ${chainColumn}, ${tokenColumn} LIMIT 1`
  return sql`
    WITH RECURSIVE pair AS (
      (${first(sql``)})
      UNION ALL
      SELECT next.* FROM pair CROSS JOIN LATERAL (
        ${first(sql`AND (${chainColumn}, ${tokenColumn}) > (pair.chain, pair.token)`)}
      ) AS next
    ) SELECT chain, token FROM pair WHERE ${token ?? null}::text IS NULL OR token = ${token ?? null}::text`
}

/** A page of the rows that match on one side, and more rows. The index begins with chain, token and status. */
export const ofSide = (
  sql: SqlClient.SqlClient,
  list: List,
  side: Side,
  matching: Matching,
  within: Fragment,
  limit: number
): Fragment => {
  const [table, chainColumn, tokenColumn] = [list.table, side.chain, side.token].map((name) => sql.literal(name))
  return sql`
    SELECT found.* FROM (${pairs(sql, list, side, matching)}) AS pair (chain, token)
    CROSS JOIN unnest(${matching.statuses}::text[]) AS state (status)
    CROSS JOIN LATERAL (
      SELECT * FROM ${table} WHERE ${list.owner} AND ${chainColumn} = pair.chain AND ${tokenColumn} = pair.token
        AND status = state.status ${within}
      ${newest(sql, list, limit)}
    ) AS found`
}
