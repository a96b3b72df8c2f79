/** Everything that the client takes from viem. */
export {
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
