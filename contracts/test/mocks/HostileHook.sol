// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { IUniswapV4PoolManager } from "../../src/interfaces/IUniswapV4PoolManager.sol";

/// @notice Hook of a pool that charges what it wants, and makes any call in the middle of a swap. Its address must have the bits of
///         `beforeSwap` and `afterSwap`, and those of the amounts that both return.
contract HostileHook {
    address public manager;
    /// @notice Taken of the input before the swap, and of the output after it, in hundredths of a percent.
    uint256 public inputShare;
    uint256 public outputShare;
    address public target;
    bytes public call;
    bool public succeeded;

    function set(address manager_, uint256 inputShare_, uint256 outputShare_) external {
        (manager, inputShare, outputShare) = (manager_, inputShare_, outputShare_);
    }

    function setCall(address target_, bytes calldata call_) external {
        (target, call, succeeded) = (target_, call_, false);
    }

    function beforeSwap(
        address,
        IUniswapV4PoolManager.PoolKey calldata key,
        IUniswapV4PoolManager.SwapParams calldata params,
        bytes calldata
    ) external returns (bytes4, int256, uint24) {
        if (target != address(0)) (succeeded,) = target.call(call);
        uint256 share = uint256(-params.amountSpecified) * inputShare / 10_000;
        if (share > 0) {
            IUniswapV4PoolManager(manager).take(params.zeroForOne ? key.currency0 : key.currency1, address(this), share);
        }
        return (this.beforeSwap.selector, int256(share) << 128, 0);
    }

    function afterSwap(
        address,
        IUniswapV4PoolManager.PoolKey calldata key,
        IUniswapV4PoolManager.SwapParams calldata params,
        int256 delta,
        bytes calldata
    ) external returns (bytes4, int128) {
        uint256 paid = uint256(params.zeroForOne ? int256(int128(delta)) : delta >> 128);
        uint256 share = paid * outputShare / 10_000;
        if (share > 0) {
            IUniswapV4PoolManager(manager).take(params.zeroForOne ? key.currency1 : key.currency0, address(this), share);
        }
        return (this.afterSwap.selector, int128(int256(share)));
    }

    /// @notice Pays a token to the PoolManager in the name of another account, which then has a credit.
    function give(address token, uint256 amount, address to) external {
        IUniswapV4PoolManager(manager).sync(token);
        ERC20(token).transfer(manager, amount);
        (bool ok,) = manager.call(abi.encodeWithSignature("settleFor(address)", to));
        require(ok);
    }

    receive() external payable { }
}
