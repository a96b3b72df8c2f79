// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice Token that burns a share of every transfer, for local networks. Anyone may mint.
contract DevFeeToken is ERC20 {
    /// @notice Burnt share of every transfer, in basis points.
    uint256 public immutable TRANSFER_FEE_BPS;

    constructor(string memory name, string memory symbol, uint256 transferFeeBps) ERC20(name, symbol) {
        TRANSFER_FEE_BPS = transferFeeBps;
    }

    /// @notice Creates `amount` for `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @dev The recipient receives the value less the burnt share.
    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        uint256 fee = value * TRANSFER_FEE_BPS / 10_000;
        super._update(from, address(0), fee);
        super._update(from, to, value - fee);
    }
}
