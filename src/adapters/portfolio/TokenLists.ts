/**
 * Token lists in the Uniswap format, from files and URLs. They are read in the background, so no portfolio waits for them, and again on a
 * schedule. A list that cannot be read keeps its last content.
 */
import { Effect, FileSystem, Schema, type Scope } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import type { ChainId } from "../../domain/ChainId.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import * as TokenList from "../../domain/TokenList.ts"
import * as Answer from "../providers/Answer.ts"
import * as Provider from "../providers/Provider.ts"

export interface Options {
  /** Files and `http(s)` URLs. Of a token on several lists, the first entry counts. */
  readonly sources: ReadonlyArray<string>
  readonly refreshMillis: number
}

/** Pause after a round in which a list could not be read, in milliseconds. */
const RETRY_MILLIS = 300_000

const MAX_BYTES = 16 * 1_048_576
const DEADLINE_MILLIS = 20_000

type Read = Effect.Effect<typeof TokenList.Document.Type, { readonly message: string }>

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source)

const decodeFile = Schema.decodeUnknownEffect(Schema.fromJsonString(TokenList.Document))
const readAnswer = Answer.json(TokenList.Document)

/** Names a list in logs. URLs may have keys in their query or their user part. */
export const nameOf = (source: string): string => {
  if (!isUrl(source)) return source
  const { host, pathname } = new URL(source)
  return `${host}${pathname}`
}

const fromFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const read: Read = Effect.gen(function* () {
    const { size } = yield* files.stat(path)
    if (size > MAX_BYTES) return yield* Effect.fail({ message: `the file has more than ${MAX_BYTES} bytes` })
    return yield* decodeFile(yield* files.readFileString(path))
  }).pipe(
    Effect.mapError((error) => ({
      message: "_tag" in error && error._tag === "SchemaError" ? "the file is not a token list" : error.message
    }))
  )
  return read
})

const fromUrl = Effect.fnUntraced(function* (source: string) {
  const { origin, pathname, search } = new URL(source)
  const provider = yield* Provider.make({
    name: `token list ${nameOf(source)}`,
    baseUrl: origin,
    deadline: DEADLINE_MILLIS,
    maxBytes: MAX_BYTES
  })
  const read: Read = provider.ask(HttpClientRequest.get(pathname + search), (answer) =>
    answer.status === 200 ? readAnswer(answer) : Effect.fail(Answer.unexpected(answer))
  )
  return read
})

type Requirements = FileSystem.FileSystem | HttpClient.HttpClient | Scope.Scope

const readerOf = (source: string): Effect.Effect<Read, never, Requirements> =>
  isUrl(source) ? fromUrl(source) : fromFile(source)

/** Makes `{ refresh, on(chainId) }`. `refresh` reads all lists, and is true if each of them was read. */
export const make = Effect.fnUntraced(function* ({ sources }: Pick<Options, "sources">) {
  const lists = new Map<string, ReadonlyArray<TokenInfo>>()
  const merged = new Map<ChainId, ReadonlyArray<TokenInfo>>()
  const reads = yield* Effect.forEach(sources, (source) => Effect.map(readerOf(source), (read) => ({ source, read })))

  const refreshOne = ({ read, source }: (typeof reads)[number]): Effect.Effect<boolean> => {
    const list = nameOf(source)
    return Effect.flatMap(read, (document) => {
      const tokens = TokenList.tokensOf(document)
      // Hosts answer so while they are overloaded, or after a mistake of the list's publisher.
      if (tokens.length === 0) return Effect.fail({ message: "the list has no usable token" })
      lists.set(source, tokens)
      return Effect.as(Effect.annotateLogs(Effect.logInfo("token_list.read"), { list, tokens: tokens.length }), true)
    }).pipe(
      Effect.catch((error: { readonly message: string }) =>
        Effect.annotateLogs(Effect.logWarning("token_list.unreadable"), {
          list,
          detail: error.message,
          kept: lists.get(source)?.length ?? 0
        }).pipe(Effect.as(false))
      )
    )
  }

  const refresh = Effect.map(Effect.forEach(reads, refreshOne, { concurrency: 2 }), (all) => {
    merged.clear()
    return all.every(Boolean)
  })

  const on = (chainId: ChainId) =>
    Effect.sync((): ReadonlyArray<TokenInfo> => {
      const known = merged.get(chainId)
      if (known !== undefined) return known
      const found = TokenList.merged(
        sources.flatMap((source) => {
          const list = lists.get(source)
          return list === undefined ? [] : [list]
        }),
        chainId
      )
      merged.set(chainId, found)
      return found
    })

  return { refresh, on }
})

/** The tokens of the lists by chain. The lists are refreshed while the scope lives. */
export const live = Effect.fnUntraced(function* (options: Options) {
  const { on, refresh } = yield* make(options)
  yield* Effect.flatMap(refresh, (isRead) =>
    Effect.sleep(isRead ? options.refreshMillis : Math.min(RETRY_MILLIS, options.refreshMillis))
  ).pipe(Effect.forever, Effect.forkScoped)
  return on
})
