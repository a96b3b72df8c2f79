import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as EndpointChoice from "../../src/domain/EndpointChoice.ts"
import type { RpcEndpoint } from "../../src/domain/RpcEndpoint.ts"

const { changed, idOf, MOST, shown } = EndpointChoice

const urlOf = (index: number) => `https://rpc${index}.example/v2/secret-key-${index}`

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15 }))
const Indexes = Schema.Array(Index).check(Schema.isMaxLength(MOST))

const listOf = (indexes: ReadonlyArray<number>): ReadonlyArray<RpcEndpoint> =>
  [...new Set(indexes)].map((index) => ({ url: urlOf(index) }))

const CONFIGURED = listOf([90, 91])

const urlsOf = (endpoints: ReadonlyArray<RpcEndpoint>) => endpoints.map(({ url }) => url)

const make = (change: unknown, present: ReadonlyArray<RpcEndpoint>) =>
  changed(Schema.decodeUnknownSync(EndpointChoice.ChangeOfEndpoints)(change), present, CONFIGURED)

describe("a change of endpoints", () => {
  it.prop("adds behind the others, once, and never more than the most", [Indexes, Index], ([indexes, index]) => {
    const present = listOf(indexes)
    const endpoint = { url: urlOf(index), requestsPerSecond: 5 }
    const result = make({ action: "add", chainId: 1, endpoint }, present)
    const isThere = present.some(({ url }) => url === endpoint.url)
    if (present.length === MOST && !isThere) return assert.deepStrictEqual(result, Result.fail("too_many"))
    const { added, endpoints } = Result.getOrThrow(result)
    assert.deepStrictEqual(added, endpoint)
    assert.deepStrictEqual(urlsOf(endpoints), [...new Set([...urlsOf(present), endpoint.url])])
    assert.deepStrictEqual(
      endpoints.find(({ url }) => url === endpoint.url),
      endpoint
    )
  })

  it.prop("replaces in its place, and never makes two of one", [Indexes, Index, Index], ([indexes, from, to]) => {
    const present = listOf(indexes)
    const result = make({ action: "replace", chainId: 1, id: idOf(urlOf(from)), endpoint: { url: urlOf(to) } }, present)
    const place = present.findIndex(({ url }) => url === urlOf(from))
    if (place === -1) return assert.deepStrictEqual(result, Result.fail("unknown"))
    if (from !== to && present.some(({ url }) => url === urlOf(to))) {
      return assert.deepStrictEqual(result, Result.fail("present"))
    }
    const { endpoints } = Result.getOrThrow(result)
    assert.deepStrictEqual(urlsOf(endpoints), urlsOf(present).with(place, urlOf(to)))
  })

  it.prop("removes one alone, and clears to the chains file", [Indexes, Index], ([indexes, index]) => {
    const present = listOf(indexes)
    const result = make({ action: "remove", chainId: 1, id: idOf(urlOf(index)) }, present)
    if (!present.some(({ url }) => url === urlOf(index))) {
      assert.deepStrictEqual(result, Result.fail("unknown"))
    } else {
      assert.deepStrictEqual(
        urlsOf(Result.getOrThrow(result).endpoints),
        urlsOf(present).filter((url) => url !== urlOf(index))
      )
    }
    assert.deepStrictEqual(Result.getOrThrow(make({ action: "clear", chainId: 1 }, present)).endpoints, CONFIGURED)
  })

  it("shows an endpoint by its host, its limits and an id", () => {
    const text = JSON.stringify(shown({ url: urlOf(3), computeUnitsPerSecond: 7 }))
    assert.include(text, "rpc3.example")
    assert.include(text, "7")
    assert.notInclude(text, "secret-key")
  })

  it("refuses URLs of other kinds without repeating them", () => {
    const decode = Schema.decodeUnknownResult(EndpointChoice.ChangeOfEndpoints)
    for (const url of [
      "wss://a.example/secret-key",
      "https://me:secret-key@a.example",
      "secret-key",
      `https://a.example/secret-key${"x".repeat(1_024)}`
    ]) {
      const result = decode({ action: "add", chainId: 1, endpoint: { url } })
      assert.isTrue(Result.isFailure(result), url)
    }
  })
})
