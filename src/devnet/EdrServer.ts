/**
 * The program that {@link file://./Edr.ts} starts: EDR behind JSON-RPC over HTTP, as `hardhat node` serves it. EDR itself is a
 * library and answers one request at a time without its id.
 *
 * Arguments: chain id, port (0: a free one), gas limit of a block.
 */
import {
  ContractDecoder,
  EdrContext,
  L1_CHAIN_TYPE,
  L1Hardfork,
  l1GenesisState,
  l1HardforkToString,
  l1ProviderFactory,
  MineOrdering
} from "@nomicfoundation/edr"

const HOST = "127.0.0.1"
const BASE_FEE = 1_000_000_000n

/** Account that receives the priority fees. Not the zero address, as on public chains. */
const COINBASE = new Uint8Array(20).fill(0xc0)

const [chainId = "31337", port = "0", blockGasLimit = "60000000"] = process.argv.slice(2)

const context = new EdrContext()
await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
const provider = await context.createProvider(
  L1_CHAIN_TYPE,
  {
    chainId: BigInt(chainId),
    networkId: BigInt(chainId),
    hardfork: l1HardforkToString(L1Hardfork.Prague),
    genesisState: l1GenesisState(L1Hardfork.Prague),
    network: { genesisBlockGasLimit: BigInt(blockGasLimit) },
    mining: { autoMine: true, blockGasLimit: BigInt(blockGasLimit), memPool: { order: MineOrdering.Priority } },
    initialBaseFeePerGas: BASE_FEE,
    minGasPrice: 0n,
    coinbase: COINBASE,
    defaultTransactionGasLimit: BigInt(blockGasLimit),
    // Timestamps of public chains increase with each block.
    allowBlocksWithSameTimestamp: false,
    allowUnlimitedContractSize: false,
    // As public nodes do: a call that reverts is an error, and a transaction that reverts is mined.
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    ownedAccounts: [],
    precompileOverrides: [],
    observability: {}
  },
  { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
  { subscriptionCallback: () => {} },
  new ContractDecoder()
)

/** Adds the parameters that a request leaves out, and puts its id before the members of EDR's answer, which has none. */
const answer = async (request: { readonly id?: unknown }): Promise<string> => {
  const { data } = await provider.handleRequest(JSON.stringify({ params: [], ...request }))
  const members: string = typeof data === "string" ? data : JSON.stringify(data)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id ?? null)},${members.slice(1)}`
}

const server = Bun.serve({
  hostname: HOST,
  port: Number(port),
  fetch: async (request) => {
    const body = await request.json()
    const answered = Array.isArray(body) ? `[${(await Promise.all(body.map(answer))).join()}]` : await answer(body)
    return new Response(answered, { headers: { "content-type": "application/json" } })
  }
})

// A shell starts background processes with SIGINT ignored, so the signal needs a handler.
process.on("SIGINT", () => process.exit())
process.stdout.write(`Listening on ${HOST}:${server.port}\n`)
