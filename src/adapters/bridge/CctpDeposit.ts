/**
 * Codecs of a burn by Circle's TokenMessengerV2, which asks Circle to mint on the destination chain too. The contract takes the depositor
 * from the caller, and the minted token from the minter of the destination, so the call names neither. Both follow the call's arguments,
 * with the chain's id, where the contract does not read: the owner signs them with the calldata, and every process reads the same terms.
 */
import { Option } from "effect"
import {
  concatHex,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  padHex,
  parseAbi,
  parseAbiParameters,
  sliceHex,
  toFunctionSelector,
  zeroHash
} from "viem"
import * as Address from "../../domain/Address.ts"
import type { DepositTerms } from "../../domain/BridgeChoice.ts"
import type { Hex } from "../../domain/Hex.ts"

const abi = parseAbi([
  "function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)"
])

/** `cctp-forward`, version 0, without more data: Circle sends the mint on the destination and takes its costs out of the amount. */
export const FORWARD: Hex = padHex("0x636374702d666f7277617264", { dir: "right", size: 32 })

/** Finality of the burn at which Circle attests: a confirmed block, or a final one. */
export const FAST = 1_000
export const STANDARD = 2_000

export interface CctpDeposit extends DepositTerms {
  /** Circle's number of the destination chain. */
  readonly destinationDomain: number
  /** {@link FAST} or {@link STANDARD}. */
  readonly finality: number
}

/** Most that Circle may keep of the amount. The contract enforces it. */
export const maxFee = ({ amountIn, minAmountOut }: Pick<CctpDeposit, "amountIn" | "minAmountOut">): bigint =>
  amountIn - minAmountOut

/** An address as the contracts of CCTP name it. */
export const word = (address: Address.Address): Hex => padHex(`0x${address.slice(2).toLowerCase()}`, { size: 32 })

/** The address in a word. None if the word is more than an address. */
export const addressIn = (value: Hex): Option.Option<Address.Address> =>
  /^0x0{24}[0-9a-f]{40}$/i.test(value) ? Option.some(Address.of(`0x${value.slice(26)}`)) : Option.none()

const TERMS = parseAbiParameters("uint256 destChainId, address tokenOut, address depositor")

/** Bytes of the call's selector, its eight arguments, and the hook's length and data. */
const CALL_BYTES = 4 + 10 * 32

export const encode = (deposit: CctpDeposit): Hex =>
  concatHex([
    encodeFunctionData({
      abi,
      functionName: "depositForBurnWithHook",
      args: [
        deposit.amountIn,
        deposit.destinationDomain,
        word(deposit.recipient),
        deposit.tokenIn,
        // Anybody may mint with Circle's attestation, so a mint never depends on one service.
        zeroHash,
        maxFee(deposit),
        deposit.finality,
        FORWARD
      ]
    }),
    encodeAbiParameters(TERMS, [deposit.destChainId, deposit.tokenOut, deposit.depositor])
  ])

/** Bytes in which such a call begins. */
export const SELECTOR: Hex = toFunctionSelector(getAbiItem({ abi, name: "depositForBurnWithHook" }))

/** viem throws if the calldata does not match. */
const decodeExactly = Option.liftThrowable((calldata: Hex): CctpDeposit => {
  const { args } = decodeFunctionData({ abi, data: sliceHex(calldata, 0, CALL_BYTES) })
  const [amountIn, destinationDomain, recipient, tokenIn, , fee, finality] = args
  const [destChainId, tokenOut, depositor] = decodeAbiParameters(TERMS, sliceHex(calldata, CALL_BYTES))
  const deposit = {
    tokenIn: Address.of(tokenIn),
    amountIn,
    tokenOut: Address.of(tokenOut),
    minAmountOut: amountIn - fee,
    destChainId,
    depositor: Address.of(depositor),
    recipient: Option.getOrThrow(addressIn(recipient)),
    destinationDomain,
    finality
  }
  if (encode(deposit) !== calldata) throw new Error("not canonical")
  return deposit
})

/** Decodes a burn. None unless {@link encode} produces exactly the same bytes, and something arrives at least. */
export const decode = (calldata: Hex): Option.Option<CctpDeposit> =>
  decodeExactly(`0x${calldata.slice(2).toLowerCase()}`).pipe(
    Option.filter(({ finality, minAmountOut }) => minAmountOut > 0n && (finality === FAST || finality === STANDARD))
  )
