// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { SafeTransferLib } from "solady/utils/SafeTransferLib.sol";

/// @notice Router that takes and pays the amounts in its arguments.
contract MockRouter {
    using SafeTransferLib for address;

    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    receive() external payable { }

    function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut, address to) public {
        if (amountIn != 0) tokenIn.safeTransferFrom(msg.sender, address(this), amountIn);
        if (tokenOut == NATIVE) to.safeTransferETH(amountOut);
        else tokenOut.safeTransfer(to, amountOut);
    }

    /// @dev A hop runs foreign code in the middle of the swap; its failure is the swap's.
    function swapThrough(
        address hop,
        bytes calldata data,
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 amountOut,
        address to
    ) external {
        (bool ok, bytes memory result) = hop.call(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
        swap(tokenIn, amountIn, tokenOut, amountOut, to);
    }

    /// @dev As {swapThrough}, but the hop's failure is ignored.
    function swapTrying(
        address hop,
        bytes calldata data,
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 amountOut,
        address to
    ) external returns (bool ok) {
        (ok,) = hop.call(data);
        if (amountOut != 0 || amountIn != 0) swap(tokenIn, amountIn, tokenOut, amountOut, to);
    }

    function fail(bytes calldata reason) external pure {
        bytes memory data = reason;
        assembly ("memory-safe") {
            revert(add(data, 0x20), mload(data))
        }
    }
}
