/**
 * Recognises refusals of `eth_getLogs` because of the width of the block range or the size of the result. Nodes and hosted
 * endpoints share no error code for it: -32000, -32005, -32600, -32602, -32614 and 35 all occur, also for other errors.
 */
import type { RpcError } from "./JsonRpc.ts"

export interface LogRefusal {
  /** `range`: every range of this width is refused. `result`: this range holds too much, a narrower one may pass. */
  readonly because: "range" | "result"
  /** Number of blocks that the message says would be accepted, at least 1. Undefined if it does not say. */
  readonly blocks?: bigint
}

type Because = LogRefusal["because"]

/** The request is wrong for another reason, or the node is behind. A narrower range would be refused as well. */
const OTHER =
  /beyond current head|invalid block range param|from block is after|after last accepted|rate limit|too many requests|request rate|compute units/i

/** Last block of a suggested range: Infura, zkSync, Alchemy ("this block range should work: [0x1, 0x2]"). */
const SUGGESTED = /block range(?: should work:)? \[0x([0-9a-f]+),\s*0x([0-9a-f]+)\]/i
/** Reth and what is built on it: "query exceeds max results 20000, retry with the range 100-200". */
const SUGGESTED_DECIMAL = /retry with the range (\d+)-(\d+)/i

/**
 * Messages, each with the nodes that send it. A number in the first group is the width in blocks that is accepted. Tried in this
 * order. Where a source calls the limit exclusive, one block fewer is found by the next refusal.
 */
const MESSAGES: ReadonlyArray<readonly [RegExp, Because]> = [
  // Alchemy, free plan 10 or 500 blocks, paid 2K (BobTheBuidler/dank_mids#772, boundless-xyz/boundless#838, ethers.js#4703).
  [/up to an? ([\d,.]+k?) block range/i, "range"],
  // QuickNode (OffchainLabs/arbitrum-sdk#609), BlastAPI; 1RPC: "limited to 0 - 50 blocks range"; BlockPI: "limited to 1024 block".
  [/limited to an? ([\d,.]+)/i, "range"],
  [/limited to (?:0 ?- ?)?([\d,.]+k?) blocks?/i, "range"],
  // geth (--rpc.rangelimit), BNB Chain, Bor, publicnode (AlphaWallet/alpha-wallet-android#2736).
  [/exceeds? max(?:imum)? block range:? ?([\d,.]+)?/i, "range"],
  // Reth (`EthFilterError::QueryExceedsMaxBlocks`), Hyperliquid, dRPC on paid plans.
  [/query exceeds max block range ([\d,.]+)/i, "range"],
  // Erigon, --rpc.blockrange.limit (erigontech/erigon#20784).
  [/query block range exceeds server limit[^:]*: ?([\d,.]+)?/i, "range"],
  // cdk-erigon (0xPolygon/cdk-erigon#1706).
  [/block range too large, max range: ?([\d,.]+)/i, "range"],
  // Besu, --rpc-max-logs-range (`RpcErrorType.EXCEEDS_RPC_MAX_BLOCK_RANGE`).
  [/requested range exceeds maximum RPC range limit/i, "range"],
  // Infura (INFURA/infura#237), Tenderly (bobanetwork/boba_legacy#827).
  [/range \d+ (?:exceeds limit of|is bigger than range limit) ([\d,.]+)/i, "range"],
  // dRPC on the free plan, code 35.
  [/ranges over ([\d,.]+) blocks are not supported/i, "range"],
  // Ankr, Moonbeam (moonbeam-foundation/moonbeam#3250).
  [/block range is too wide(?: \(maximum ([\d,.]+)\))?/i, "range"],
  [/maximum \[from, to\] blocks distance: ?([\d,.]+)/i, "range"],
  // OP stack's proxyd: Ink, X Layer, Swell.
  [/block range greater than ([\d,.]+) max/i, "range"],
  // Chainstack, 100 blocks on the free plan (docs.chainstack.com/docs/limits#evm-range-limits).
  [/block range limit exceeded/i, "range"],
  // Base's and Optimism's public endpoints, Scroll (scroll-tech/go-ethereum#529), Candle (alpha-wallet-ios#5277).
  [/block range (?:is )?(?:too (?:large|high|big)|bigger than)(?:\D{0,40}([\d,.]+) blocks)?/i, "range"],
  // Coinbase, Cloudflare, thirdweb, Avalanche, Harmony, Somnia, merkle.io.
  [/limit the query to at most ([\d,.]+) blocks/i, "range"],
  [/max range: ?([\d,.]+)/i, "range"],
  [/maximum allowed number of requested blocks is ([\d,.]+)/i, "range"],
  [/requested too many blocks from \d+ to \d+, maximum is set to ([\d,.]+)/i, "range"],
  [/query must be smaller than size ([\d,.]+)/i, "range"],
  [/block range exceeds ([\d,.]+)/i, "range"],
  [/range is too large, max is ([\d,.]+k?) blocks/i, "range"],
  // BlastAPI on paid plans.
  [/exceeds the range allowed for your plan \(\d+ > ([\d,.]+)\)/i, "range"],
  // Infura, zkSync, Polygon zkEVM, Aurora: "query returned more than 10000 results".
  [/query returned more than [\d,.]+ results/i, "result"],
  // Reth (`EthFilterError::QueryExceedsMaxResults`), LlamaRPC, Ankr.
  [/query exceeds max results/i, "result"],
  // Erigon, --rpc.logs.maxresults (erigontech/erigon#19721).
  [/query returns too many logs/i, "result"],
  // Nethermind (`MaxLogsPerResponse`), code -32005.
  [/too many logs requested/i, "result"],
  // Nitro, code -32000.
  [/logs matched by query exceeds limit/i, "result"],
  // Alchemy, 1RPC, OP stack's proxyd, Reth.
  [/response size (?:exceeded|should not|is too|too)|response (?:is )?too large|length limit exceeded/i, "result"],
  // geth, Nitro, Infura ("Query duration must not exceed 10 seconds"), Erigon.
  [
    /quer(?:y|ies) time(?:d )?-?out|query timeout|log query timed out|query duration|execution aborted|context deadline/i,
    "result"
  ]
]

/** A count as messages write it: "10,000", "10.000", "2K". */
const countOf = (text: string | undefined): bigint | undefined => {
  const digits = text?.replace(/\D/g, "") ?? ""
  if (digits === "") return undefined
  const count = BigInt(digits) * (/k$/i.test(text ?? "") ? 1_000n : 1n)
  return count > 0n ? count : undefined
}

const suggestedBlocks = (text: string): bigint | undefined => {
  const hex = SUGGESTED.exec(text)
  const decimal = hex === null ? SUGGESTED_DECIMAL.exec(text) : null
  const [first, last] = hex === null ? [decimal?.[1], decimal?.[2]].map((part) => part) : [`0x${hex[1]}`, `0x${hex[2]}`]
  if (first === undefined || last === undefined) return undefined
  const blocks = BigInt(last) - BigInt(first) + 1n
  return blocks > 0n ? blocks : undefined
}

/** Text of an error, with that of its data: some gateways say "invalid params" and put the reason there. */
const textOf = ({ data, text }: Pick<RpcError, "data" | "text">): string => {
  if (data === undefined || data === null) return text
  return `${text} ${typeof data === "string" ? data : JSON.stringify(data)}`
}

/** The refusal that an error of `eth_getLogs` means; undefined for any other error. */
export const refusalOf = (error: Pick<RpcError, "data" | "text">): LogRefusal | undefined => {
  const text = textOf(error)
  if (OTHER.test(text)) return undefined
  for (const [pattern, because] of MESSAGES) {
    const match = pattern.exec(text)
    if (match === null) continue
    const blocks = suggestedBlocks(text) ?? (because === "range" ? countOf(match[1]) : undefined)
    return blocks === undefined ? { because } : { because, blocks }
  }
  return undefined
}
