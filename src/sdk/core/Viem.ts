/** Everything that the client takes from viem. */
export {
  decodeAbiParameters,
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  padHex,
  parseAbi,
  recoverTypedDataAddress,
  sliceHex,
  zeroAddress
} from "viem"
export { recoverAuthorizationAddress } from "viem/utils"
