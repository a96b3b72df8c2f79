/**
 * Codecs of a deposit into Relay's depository. The contract's call names an order of the service and nothing of what arrives. So the
 * terms of the order follow the call's arguments, where the contract does not read: the owner signs them with the calldata, and every
 * process reads the same terms from it. Only the service carries them out.
 */
import { Option } from "effect"
import {
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  parseAbi,
  parseAbiParameters,
  prepareEncodeFunctionData,
  size,
  sliceHex,
  toFunctionSelector
} from "viem"
import * as Address from "../../domain/Address.ts"
import type { DepositTerms } from "../../domain/BridgeChoice.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { Log } from "../../ports/shared/Chains.ts"

export const depositoryAbi = parseAbi([
  "function depositErc20(address depositor, address token, uint256 amount, bytes32 id)",
  "event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)"
])

export interface RelayDeposit extends DepositTerms {
  /** The depository's name of the deposit. */
  readonly orderId: Hash
  /** The service's name of the request, by which its state is asked. */
  readonly requestId: Hash
}

const DEPOSIT = prepareEncodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20" })

const TERMS = parseAbiParameters(
  "uint256 destChainId, address tokenOut, address recipient, uint256 minAmountOut, bytes32 requestId"
)

/** Bytes of the call's selector and its four arguments. */
const CALL_BYTES = 4 + 4 * 32

/** The call as the service must propose it. */
export const call = ({ amountIn, depositor, orderId, tokenIn }: RelayDeposit): Hex =>
  encodeFunctionData({ ...DEPOSIT, args: [depositor, tokenIn, amountIn, orderId] })

export const encode = (deposit: RelayDeposit): Hex =>
  concatHex([
    call(deposit),
    encodeAbiParameters(TERMS, [
      deposit.destChainId,
      deposit.tokenOut,
      deposit.recipient,
      deposit.minAmountOut,
      deposit.requestId
    ])
  ])

const lower = (data: Hex): Hex => `0x${data.slice(2).toLowerCase()}`

/** Bytes in which a call of the depository begins. */
export const SELECTOR: Hex = toFunctionSelector(getAbiItem({ abi: depositoryAbi, name: "depositErc20" }))

/** Name of the deposit in a call that the service proposes. None for any other call. */
export const orderIdOf = Option.liftThrowable((data: Hex): Hash => {
  const { args } = decodeFunctionData({ abi: depositoryAbi, data })
  return args[3]
})

/** viem throws if the calldata does not match. */
const decodeExactly = Option.liftThrowable((calldata: Hex): RelayDeposit => {
  const { args } = decodeFunctionData({ abi: depositoryAbi, data: sliceHex(calldata, 0, CALL_BYTES) })
  const [depositor, tokenIn, amountIn, orderId] = args
  const [destChainId, tokenOut, recipient, minAmountOut, requestId] = decodeAbiParameters(
    TERMS,
    sliceHex(calldata, CALL_BYTES)
  )
  const deposit = {
    tokenIn: Address.of(tokenIn),
    amountIn,
    tokenOut: Address.of(tokenOut),
    minAmountOut,
    destChainId,
    depositor: Address.of(depositor),
    recipient: Address.of(recipient),
    orderId,
    requestId
  }
  if (encode(deposit) !== calldata) throw new Error("not canonical")
  return deposit
})

/** Decodes a deposit. None unless {@link encode} produces exactly the same bytes. */
export const decode = (calldata: Hex): Option.Option<RelayDeposit> => decodeExactly(lower(calldata))

const [DEPOSITED] = encodeEventTopics({ abi: depositoryAbi, eventName: "RelayErc20Deposit" })

const EVENT = parseAbiParameters("address from, address token, uint256 amount, bytes32 id")

const decodeDeposited = Option.liftThrowable(({ data }: Log) => decodeAbiParameters(EVENT, data))

/** True if the logs have the depository's event of exactly this deposit. */
export const isDeposited = (logs: ReadonlyArray<Log>, depository: Address.Address, deposit: RelayDeposit): boolean =>
  logs.some((log) => {
    if (log.address !== depository || log.topics[0]?.toLowerCase() !== DEPOSITED || size(log.data) !== 128) return false
    return Option.exists(
      decodeDeposited(log),
      ([from, token, amount, id]) =>
        Address.of(from) === deposit.depositor &&
        Address.of(token) === deposit.tokenIn &&
        amount === deposit.amountIn &&
        id.toLowerCase() === deposit.orderId.toLowerCase()
    )
  })
