/** Reviews the clock of the machine that this process runs on. */
import { hostname } from "node:os"
import * as ClockReview from "../runtime/ClockReview.ts"

/** Runs until the scope closes. Each service in a process has one of its own. */
export const review = () => ClockReview.layer(hostname())
