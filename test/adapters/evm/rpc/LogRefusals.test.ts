import { assert, describe, it } from "@effect/vitest"
import { type LogRefusal, refusalOf } from "../../../../src/adapters/evm/rpc/LogRefusals.ts"

const refusal = (text: string, data?: unknown) => refusalOf({ text, data })

/** Messages as nodes and hosted endpoints send them, with their meaning. */
const MESSAGES: ReadonlyArray<readonly [string, LogRefusal]> = [
  [
    "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1be4213, 0x1be421c]. Upgrade to PAYG for expanded block range.",
    { because: "range", blocks: 10n }
  ],
  [
    "You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123cba5]",
    { because: "range", blocks: 500n }
  ],
  [
    "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size",
    { because: "range", blocks: 2_000n }
  ],
  ["eth_getLogs is limited to a 10,000 range", { because: "range", blocks: 10_000n }],
  ["eth_getLogs is limited to a 5 range", { because: "range", blocks: 5n }],
  ["eth_getLogs is limited to 0 - 50 blocks range", { because: "range", blocks: 50n }],
  ["exceed maximum block range: 50000", { because: "range", blocks: 50_000n }],
  ["query exceeds max block range 100000", { because: "range", blocks: 100_000n }],
  ["query block range exceeds server limit, narrow your filter: 1000", { because: "range", blocks: 1_000n }],
  ["block range too large, max range: 1000", { because: "range", blocks: 1_000n }],
  ["Requested range exceeds maximum RPC range limit", { because: "range" }],
  ["range 1000000 exceeds limit of 10000", { because: "range", blocks: 10_000n }],
  ["ranges over 10000 blocks are not supported on freetier", { because: "range", blocks: 10_000n }],
  ["block range is too wide", { because: "range" }],
  ["block range is too wide (maximum 1024)", { because: "range", blocks: 1_024n }],
  ["maximum [from, to] blocks distance: 3000", { because: "range", blocks: 3_000n }],
  ["block range greater than 10000 max", { because: "range", blocks: 10_000n }],
  [
    "Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits",
    { because: "range" }
  ],
  ["Block range is too large", { because: "range" }],
  ["Block range too large: maximum allowed is 1000 blocks", { because: "range", blocks: 1_000n }],
  ["block range too high", { because: "range" }],
  ["block range is bigger than maxBlockRange", { because: "range" }],
  ["please limit the query to at most 1,000 blocks", { because: "range", blocks: 1_000n }],
  ["Max range: 800", { because: "range", blocks: 800n }],
  ["Maximum allowed number of requested blocks is 1000", { because: "range", blocks: 1_000n }],
  ["requested too many blocks from 1 to 5000, maximum is set to 2048", { because: "range", blocks: 2_048n }],
  ["eth_getLogs range is too large, max is 10k blocks", { because: "range", blocks: 10_000n }],
  ["exceeds the range allowed for your plan (5000 > 500)", { because: "range", blocks: 500n }],
  ["query returned more than 10000 results", { because: "result" }],
  [
    "query returned more than 10000 results. Try with this block range [0xBDE5F8, 0xBDE601].",
    { because: "result", blocks: 10n }
  ],
  ["query exceeds max results 20000, retry with the range 24383075-24383096", { because: "result", blocks: 22n }],
  ["query returns too many logs, narrow your filter: 20000", { because: "result" }],
  ["Too many logs requested. Max logs per response is 20000.", { because: "result" }],
  ["logs matched by query exceeds limit of 10000", { because: "result" }],
  ["response size should not greater than 10000000 bytes", { because: "result" }],
  ["backend response too large", { because: "result" }],
  ["query timeout of 10 seconds exceeded", { because: "result" }],
  ["log query timed out", { because: "result" }]
]

describe("refusals of eth_getLogs", () => {
  it("are recognised by the messages of common nodes", () => {
    for (const [text, meaning] of MESSAGES) assert.deepStrictEqual(refusal(text), meaning, text)
  })

  it("are recognised in the data of an error", () => {
    assert.deepStrictEqual(refusal("invalid params", { payload: "range 9009594 is bigger than range limit 2000" }), {
      because: "range",
      blocks: 2_000n
    })
  })

  it("are not seen in errors that a narrower range would meet as well", () => {
    for (const text of [
      "block range extends beyond current head block",
      "invalid block range params",
      "project ID request rate exceeded",
      "Your app has exceeded its compute units per second capacity",
      "limit exceeded",
      "method not found",
      "header not found",
      "the method eth_getLogs does not exist/is not available"
    ]) {
      assert.isUndefined(refusal(text), text)
    }
  })
})
