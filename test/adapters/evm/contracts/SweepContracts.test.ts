import * as SweepContracts from "../../../../src/adapters/evm/contracts/SweepContracts.ts"
import { sweepContractsSuite } from "../../../ports/orchestrator/SweepContracts.suite.ts"

sweepContractsSuite("the ABIs of the compiled sources", SweepContracts.layer)
