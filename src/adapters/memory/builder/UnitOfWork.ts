/** Runs work without a transaction, for tests: a failure rolls nothing back. */
import { Layer } from "effect"
import { UnitOfWork } from "../../../ports/builder/UnitOfWork.ts"

export const layer = Layer.succeed(UnitOfWork, UnitOfWork.of({ atomically: (effect) => effect }))
