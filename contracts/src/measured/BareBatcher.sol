// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC7821 } from "solady/accounts/ERC7821.sol";

/// @title  Bare batcher
/// @notice The cheapest account that can batch: ERC-7821 alone, callable only by itself. The gas of sweeps is compared with it.
contract BareBatcher is ERC7821 { }
