// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC1967Proxy } from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";

/// @title  SpokePool proxy
/// @notice Across's SpokePools are behind such a proxy.
contract SpokePoolProxy is ERC1967Proxy {
    constructor(address logic, bytes memory data) ERC1967Proxy(logic, data) { }
}
