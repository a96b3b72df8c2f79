/** Subjects of pauses from what an operator enters. */
import type { Address } from "../../../domain/Address.ts"
import { BUILDER_ID } from "../../../domain/BuilderId.ts"
import type { PauseSubject } from "../../../domain/Pause.ts"
import { isAddress, isZeroAddress } from "../../../sdk/model/Address.ts"

/** The builder with an id that is entered. Undefined if no id has this form. */
export const builderOf = (id: string): PauseSubject | undefined =>
  BUILDER_ID.test(id) ? { scope: "builder", builderId: id } : undefined

/** The token with an address that is entered, in any case. Undefined if the text is no address of a token. */
export const tokenOf = (chainId: number, address: string): PauseSubject | undefined =>
  isAddress(address) && !isZeroAddress(address) ? { scope: "token", chainId, token: address as Address } : undefined
