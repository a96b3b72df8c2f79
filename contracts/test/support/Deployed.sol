// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { Test } from "forge-std/Test.sol";

interface ICoin is IERC20 {
    function mint(address to, uint256 amount) external;
}

/// @notice Code of this project as it is released, and of other projects from their published packages.
abstract contract Deployed is Test {
    address internal constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /// @dev Creation code of a contract of `src/` with the compiler settings of a release. A test that imported the contract would
    ///      compile it with its own settings instead, and contain a copy of it.
    function _released(string memory name) internal view returns (bytes memory) {
        return vm.getCode(string.concat(name, ".sol:", name));
    }

    function _coin(string memory name) internal returns (ICoin) {
        return ICoin(_create(abi.encodePacked(_released("Coin"), abi.encode(name))));
    }

    function uniswapFactory() internal returns (address) {
        return _create(_package("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"));
    }

    function swapRouter(address factory, address weth) internal returns (address) {
        bytes memory code =
            _package("@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json");
        return _create(abi.encodePacked(code, abi.encode(address(0), factory, address(0), weth)));
    }

    function weth9() internal returns (address) {
        return _create(_package("@uniswap/v2-periphery/build/WETH9.json"));
    }

    /// @dev Deployed as on every chain. The address proves that the bytes are the ones deployed there.
    function permit2() internal {
        bytes memory code = vm.parseJsonBytes(vm.readFile("test/fixtures/Permit2.json"), ".creationCode");
        (bool ok,) = CREATE2_FACTORY.call(
            abi.encodePacked(hex"0000000000000000000000000000000000000000d3af2663da51c10215000000", code)
        );
        assertTrue(ok && PERMIT2.code.length > 0);
    }

    /// @dev Creation code of a contract of the first generation, as it is shipped.
    function firstGeneration(string memory name) internal view returns (bytes memory) {
        string memory file = vm.readFile("../src/adapters/evm/abi/firstGeneration.ts");
        string memory contract_ = vm.split(file, string.concat("export const ", name))[1];
        return vm.parseBytes(vm.split(vm.split(contract_, "creationCode:")[1], "\"")[1]);
    }

    function _package(string memory path) internal view returns (bytes memory) {
        return vm.parseJsonBytes(vm.readFile(string.concat("../node_modules/", path)), ".bytecode");
    }

    /// @dev Reverts as the constructor does.
    function _create(bytes memory initCode) internal returns (address created) {
        assembly ("memory-safe") {
            created := create(0, add(initCode, 0x20), mload(initCode))
            if iszero(created) {
                let reason := mload(0x40)
                returndatacopy(reason, 0, returndatasize())
                revert(reason, returndatasize())
            }
        }
    }
}
