/** The parser of the service's event stream. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { isEventStream, makeEventReader, makeStateReader } from "../../../src/sdk/core/EventStream.ts"

const read = (pieces: ReadonlyArray<string>): ReadonlyArray<string> => pieces.flatMap(makeEventReader())

const STREAM = `: hello\nretry: 1000\n\nevent: status\nid: 1\ndata: one\n\ndata:two\ndata: lines\n\n:\n\ndata: unfinished`

describe("the event stream", () => {
  it("has the data of each finished event", () => {
    assert.deepStrictEqual(read([STREAM]), ["one", "two\nlines"])
  })

  it("may be cut within a line break", () => {
    assert.deepStrictEqual(read(["data: two\r", "\ndata: lines\r\n\r", "\n"]), ["two\nlines"])
  })

  const Cuts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: STREAM.length })))

  for (const [name, lineBreak] of [
    ["LF", "\n"],
    ["CR", "\r"],
    ["CRLF", "\r\n"]
  ] as const) {
    it.effect.prop(`is the same however it is cut, with ${name} at the end of lines`, [Cuts], ([cuts]) =>
      Effect.sync(() => {
        const text = `${STREAM}\n\n`.replaceAll("\n", lineBreak)
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
        assert.strictEqual(pieces.join(""), text)
        // The last line break of the stream may be the first half of one, so another line follows.
        assert.deepStrictEqual(read([...pieces, ":"]), ["one", "two\nlines", "unfinished"])
      })
    )
  }

  it("is one by its status and type", () => {
    assert.isTrue(isEventStream(200, "text/event-stream; charset=utf-8"))
    assert.isFalse(isEventStream(200, "application/json"))
    assert.isFalse(isEventStream(404, "text/event-stream"))
    assert.isFalse(isEventStream(200, null))
    assert.isFalse(isEventStream(200, undefined))
  })

  it("has the states of one intent, and nothing that is malformed", () => {
    const decode = (value: unknown) =>
      typeof value === "object" && value !== null && "id" in value ? { id: String(value.id) } : undefined
    const states = makeStateReader("a", decode)
    assert.deepStrictEqual(states(`data: {"id":"a"}\n\ndata: {"id":"b"}\n\ndata: {\n\ndata: 1\n\n`), [{ id: "a" }])
    assert.deepStrictEqual(makeStateReader("A", decode)(`data: {"id":"a"}\n\n`), [{ id: "a" }])
    assert.deepStrictEqual(states(`data: {"id":`), [])
    assert.deepStrictEqual(states(`"a"}\n\n`), [{ id: "a" }])
  })
})
