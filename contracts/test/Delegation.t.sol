// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC1155 } from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import { ERC721 } from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ForeignDelegate } from "./mocks/HostileAccounts.sol";
import { MockScene } from "./support/MockScene.sol";

interface IPermit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    function permitTransferFrom(
        PermitTransferFrom memory permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes calldata signature
    ) external;
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// @notice A delegated account keeps the abilities that it had without code, and changing its delegate does not affect
///         orders.
contract DelegationTest is MockScene {
    function test_AuthorizationAndSweepInOneTransaction() public {
        vm.etch(owner, "");
        bytes memory signature = _sign(_order(), ownerKey);
        vm.signAndAttachDelegation(address(delegate), ownerKey);
        assertEq(_execute(_order(), signature), OUT);
        assertEq(owner.code, abi.encodePacked(hex"ef0100", delegate));
    }

    function test_RevertedSweepStillDelegates() public {
        vm.etch(owner, "");
        SweepOrder memory order = _order();
        order.minAmountOut = OUT + 1;
        bytes memory data = abi.encodeCall(ISweepDelegate.execute, (order, _sign(order, ownerKey)));
        vm.signAndAttachDelegation(address(delegate), ownerKey);
        vm.prank(relayer);
        (bool ok, bytes memory result) = owner.call(data);
        assertFalse(ok);
        assertEq(bytes4(result), ISweepErrors.InsufficientOutput.selector);
        assertEq(owner.code, abi.encodePacked(hex"ef0100", delegate));
        assertFalse(guard.isNonceUsed(owner, _nonce(0)));
        // The next order needs no authorization.
        assertEq(_executeSigned(_order()), OUT);
    }

    function test_SpentNoncesSurviveOtherDelegates() public {
        bytes memory signature = _sign(_order(), ownerKey);
        _execute(_order(), signature);
        ForeignDelegate foreign = new ForeignDelegate();
        _delegate(owner, address(foreign));
        for (uint256 slot; slot < 8; ++slot) {
            ForeignDelegate(payable(owner)).store(bytes32(slot), 0);
        }
        _delegate(owner, address(delegate));
        tokenIn.mint(owner, AMOUNT);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function testFuzz_StorageOfAForeignDelegateHasNoEffect(bytes32 slot, bytes32 value) public {
        ForeignDelegate foreign = new ForeignDelegate();
        _delegate(owner, address(foreign));
        ForeignDelegate(payable(owner)).store(slot, value);
        for (uint256 i; i < 4; ++i) {
            ForeignDelegate(payable(owner)).store(bytes32(i), value);
        }
        _delegate(owner, address(delegate));
        assertEq(_executeSigned(_order()), OUT);
        assertEq(vm.load(owner, slot), value);
    }

    function test_SweepWritesNothingInTheAccount() public {
        vm.record();
        _executeSigned(_order());
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(owner);
        assertEq(reads.length + writes.length, 0);
    }

    function test_AccountOfAForeignDelegateSweepsNothing() public {
        ForeignDelegate foreign = new ForeignDelegate();
        _delegate(owner, address(foreign));
        bytes memory signature = _sign(_order(), ownerKey);
        vm.expectRevert();
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function test_PlainTransfersArrive() public {
        vm.deal(address(this), 2 ether);
        payable(owner).transfer(1 ether);
        assertTrue(payable(owner).send(1 ether));
        assertEq(owner.balance, 2 ether);
    }

    /// @dev As at a plain account: some senders attach a note.
    function testFuzz_TransfersWithDataArrive(bytes calldata note) public {
        vm.assume(note.length > 3 && bytes4(note) == 0xdeadbeef || note.length < 4);
        vm.deal(address(this), 1 ether);
        (bool ok, bytes memory result) = owner.call{ value: 1 ether }(note);
        assertTrue(ok);
        assertEq(result.length, 0);
        assertEq(owner.balance, 1 ether);
    }

    function test_TransferWithASelectorArrives() public {
        vm.deal(address(this), 1 ether);
        (bool ok,) = owner.call{ value: 1 ether }(hex"deadbeef00");
        assertTrue(ok);
        assertEq(owner.balance, 1 ether);
    }

    /// @dev A caller must not take the account for a contract that has the function.
    function test_UnknownFunctionWithoutValueReverts() public {
        (bool ok, bytes memory result) = owner.call(hex"deadbeef");
        assertFalse(ok);
        assertEq(bytes4(result), ISweepDelegate.UnknownFunction.selector);
    }

    function test_SafeTransfersOfNftsArrive() public {
        Picture picture = new Picture();
        picture.safeMint(owner, 1);
        assertEq(picture.ownerOf(1), owner);
        Items items = new Items();
        items.mintBoth(owner);
        assertEq(items.balanceOf(owner, 1), 5);
        assertEq(items.balanceOf(owner, 2), 6);
    }

    function test_InterfacesAreDeclared() public view {
        (bool ok, bytes memory result) =
            owner.staticcall(abi.encodeWithSignature("supportsInterface(bytes4)", bytes4(0xffffffff)));
        assertTrue(ok);
        assertEq(abi.decode(result, (bool)), false);
        bytes4[4] memory ids = [bytes4(0x01ffc9a7), bytes4(0x1626ba7e), bytes4(0x150b7a02), bytes4(0x4e2312e0)];
        for (uint256 i; i < 4; ++i) {
            (, result) = owner.staticcall(abi.encodeWithSignature("supportsInterface(bytes4)", ids[i]));
            assertEq(abi.decode(result, (bool)), true);
        }
    }

    /// @dev Permit2 calls the account as soon as it has code, with the same signature that it accepted before.
    function test_Permit2TakesTheOwnersSignatureBeforeAndAfter() public {
        permit2();
        vm.prank(owner);
        tokenIn.approve(PERMIT2, type(uint256).max);
        vm.etch(owner, "");
        _permit2Transfer(1, _permit2Signature(1, ownerKey));
        _delegate(owner, address(delegate));
        _permit2Transfer(2, _permit2Signature(2, ownerKey));
        assertEq(tokenIn.balanceOf(address(this)), 2);

        bytes memory forged = _permit2Signature(3, uint256(keccak256("another key")));
        vm.expectRevert(bytes4(keccak256("InvalidContractSignature()")));
        _permit2Transfer(3, forged);
    }

    function test_TokenPermitsWorkAfterDelegation() public {
        bytes32 hash = keccak256(
            abi.encodePacked(
                hex"1901",
                tokenIn.DOMAIN_SEPARATOR(),
                keccak256(
                    abi.encode(
                        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                        owner,
                        address(this),
                        7,
                        0,
                        block.timestamp
                    )
                )
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ownerKey, hash);
        tokenIn.permit(owner, address(this), 7, block.timestamp, v, r, s);
        assertEq(tokenIn.allowance(owner, address(this)), 7);
    }

    function testFuzz_OnlyTheOwnersSignatureIsValid(bytes32 hash, uint256 key, bytes calldata noise) public view {
        key = bound(key, 1, type(uint128).max);
        ISweepDelegate account = ISweepDelegate(owner);
        assertEq(account.isValidSignature(hash, _signHash(hash, ownerKey)), bytes4(0x1626ba7e));
        (bytes32 r, bytes32 vs) = vm.signCompact(ownerKey, hash);
        assertEq(account.isValidSignature(hash, abi.encodePacked(r, vs)), bytes4(0x1626ba7e));
        vm.assume(key != ownerKey);
        assertEq(account.isValidSignature(hash, _signHash(hash, key)), bytes4(0xffffffff));
        assertEq(account.isValidSignature(hash, noise), bytes4(0xffffffff));
        assertEq(account.isValidSignature(keccak256(abi.encode(hash)), _signHash(hash, ownerKey)), bytes4(0xffffffff));
    }

    function _permit2Signature(uint256 nonce, uint256 key) private view returns (bytes memory) {
        bytes32 permitted =
            keccak256(abi.encode(keccak256("TokenPermissions(address token,uint256 amount)"), address(tokenIn), 1));
        bytes32 permit = keccak256(
            abi.encode(
                keccak256(
                    "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)TokenPermissions(address token,uint256 amount)"
                ),
                permitted,
                address(this),
                nonce,
                block.timestamp
            )
        );
        return _signHash(keccak256(abi.encodePacked(hex"1901", IPermit2(PERMIT2).DOMAIN_SEPARATOR(), permit)), key);
    }

    function _permit2Transfer(uint256 nonce, bytes memory signature) private {
        IPermit2(PERMIT2)
            .permitTransferFrom(
                IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(address(tokenIn), 1), nonce, block.timestamp),
                IPermit2.SignatureTransferDetails(address(this), 1),
                owner,
                signature
            );
    }
}

contract Picture is ERC721("Picture", "PIC") {
    function safeMint(address to, uint256 id) external {
        _safeMint(to, id);
    }
}

contract Items is ERC1155("") {
    function mintBoth(address to) external {
        _mint(to, 1, 5, "");
        uint256[] memory ids = new uint256[](1);
        uint256[] memory amounts = new uint256[](1);
        (ids[0], amounts[0]) = (2, 6);
        _mintBatch(to, ids, amounts, "");
    }
}
